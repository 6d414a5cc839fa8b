import type { FeedFormat } from '@sluice/contracts';
import type { MouseEvent } from 'react';
import { refusal, unreachable } from '../../api/client';
import { Section } from '../../parts/page';
import { saveAs } from '../../parts/save-as';
import { useSend } from '../../parts/send';
import { usePlane } from './plane';
import { Refused } from './refused';

const FORMATS: readonly (readonly [FeedFormat, string])[] = [
  ['rss', 'Download as RSS'],
  ['tsv', 'Download as TSV'],
];

/** Fetched rather than followed, so that an error is shown here; without scripts they are ordinary links. */
export function FeedDownload() {
  const plane = usePlane();
  const download = useSend(async (address: string) => {
    const answer = await fetch(address, { credentials: 'same-origin' }).catch(() => {
      throw unreachable();
    });
    if (!answer.ok) throw refusal(answer.status, await answer.text(), answer.headers.get('retry-after'));
    const named = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '');
    saveAs(named?.[1] ?? 'feed', await answer.blob());
  });
  const begin = (event: MouseEvent, address: string): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (!download.isPending) download.mutate(address);
  };
  return (
    <Section title="Download">
      <p>
        The whole feed as a file, read from the store now; a large one may take a minute. What is listed in it is what a
        sync would push.
      </p>
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
      {download.error !== null && <Refused error={download.error} />}
    </Section>
  );
}
