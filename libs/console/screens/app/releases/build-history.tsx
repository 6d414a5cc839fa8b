import { keepPreviousData } from '@tanstack/react-query';
import type { App } from '@sluice/contracts';
import { ApiError } from '../../../api/client';
import { usePaged } from '../../../api/queries';
import { Section } from '../../../parts/page';
import { Listed } from '../../../parts/pager';
import { Timeline, type TimelineEntry } from '../../../parts/timeline';

/** Who did what to a build, also to a deleted one. */
export function BuildHistory({ app, id }: { readonly app: App; readonly id: number }) {
  const { list: history, turn } = usePaged<TimelineEntry>(`/apps/${app.id}/builds/${id}/history`, ['history', app.id], {
    perPage: 20,
    placeholderData: keepPreviousData,
  });
  if (history.error instanceof ApiError && history.error.code === 'BUILD_NOT_FOUND') return null;
  return (
    <Section title="History">
      <Listed of={history} turn={turn} what="the history" empty={<p className="dim">Nothing has happened to it.</p>}>
        {(entries) => <Timeline entries={entries} buildPath={(build) => `/apps/${app.id}/builds/${build}`} />}
      </Listed>
    </Section>
  );
}
