import type { FeedFormat } from '@sluice/contracts';
import type { MouseEvent } from 'react';
import { api } from '../../api/client';
import { Section } from '../../parts/page';
import { saveAs } from '../../parts/save-as';
import { useSend } from '../../parts/send';
import * as texts from '../../texts/listings/feed';
import { ModuleError } from './module-error';
import { usePlane } from './plane';

const FORMATS: readonly (readonly [FeedFormat, string])[] = [
  ['rss', texts.asRss],
  ['tsv', texts.asTsv],
];

/** The links are fetched rather than followed, so that an error is shown here. */
export function FeedDownload() {
  const plane = usePlane();
  const download = useSend(async (address: string) => {
    const response = await api.file(address);
    const fileName = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '');
    saveAs(fileName?.[1] ?? 'feed', await response.blob());
  });
  const begin = (event: MouseEvent, address: string): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (!download.isPending) download.mutate(address);
  };
  return (
    <Section title={texts.download}>
      <p>{texts.downloadHelp}</p>
      <div className="buttons">
        {FORMATS.map(([format, name]) => {
          const address = plane.address(`/feed/download?format=${format}`);
          return (
            <a
              key={format}
              className="button plain"
              href={address}
              download
              aria-disabled={download.isPending || undefined}
              onClick={(event) => begin(event, address)}
            >
              {download.isPending && download.variables === address && <span className="spinner" aria-hidden="true" />}
              {name}
            </a>
          );
        })}
      </div>
      {download.error !== null && <ModuleError error={download.error} />}
    </Section>
  );
}
