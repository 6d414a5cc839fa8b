import { useMutation } from '@tanstack/react-query';
import type { FeedFormat } from '@sluice/contracts';
import type { MouseEvent } from 'react';
import { refusal, unreachable } from '../../api/client';
import { Section } from '../../parts/page';
import { usePlane } from './plane';
import { Refused } from './refused';

const FORMATS: readonly (readonly [FeedFormat, string])[] = [
  ['rss', 'Download as RSS'],
  ['tsv', 'Download as TSV'],
];

/** Fetched rather than followed, so that a refusal is told here; without scripts they are links like any other. */
export function FeedDownload() {
  const plane = usePlane();
  const download = useMutation({
    mutationFn: async (address: string) => {
      const answer = await fetch(address, { credentials: 'same-origin' }).catch(() => {
        throw unreachable();
      });
      if (!answer.ok) throw refusal(answer.status, await answer.text(), answer.headers.get('retry-after'));
      const named = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '');
      save(await answer.blob(), named?.[1] ?? 'feed');
    },
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

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
