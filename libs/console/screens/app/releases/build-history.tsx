import { keepPreviousData } from '@tanstack/react-query';
import type { App } from '@sluice/contracts';
import { useState } from 'react';
import { ApiError, query } from '../../../api/client';
import { useList } from '../../../api/queries';
import { Section } from '../../../parts/page';
import { Pager } from '../../../parts/pager';
import { QueryState } from '../../../parts/states';
import { Timeline, type TimelineEntry } from '../../../parts/timeline';

/** Who did what to a build; it is told of a deleted one too. */
export function BuildHistory({ app, id }: { readonly app: App; readonly id: number }) {
  const [page, setPage] = useState(1);
  const history = useList<TimelineEntry>(
    `/apps/${app.id}/builds/${id}/history${query({ page, per_page: 20 })}`,
    ['history', app.id, 'build', id, page],
    { placeholderData: keepPreviousData },
  );
  if (history.error instanceof ApiError && history.error.code === 'BUILD_NOT_FOUND') return null;
  return (
    <Section title="History">
      <QueryState of={history} what="the history" />
      {history.data !== undefined && (
        <>
          {history.data.data.length === 0 && <p className="dim">Nothing has happened to it.</p>}
          <Timeline entries={history.data.data} buildPath={(build) => `/apps/${app.id}/builds/${build}`} />
          <Pager meta={history.data.meta} turn={setPage} />
        </>
      )}
    </Section>
  );
}
