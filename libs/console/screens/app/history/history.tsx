import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, isOfFields, query } from '../../../api/client';
import { Section } from '../../../parts/page';
import { Pager } from '../../../parts/pager';
import { Empty, ErrorNote, Loading } from '../../../parts/states';
import { Timeline, type TimelineEntry } from '../../../parts/timeline';
import { AsItStood } from './as-it-stood';
import { HistoryFilter, NO_FILTER, type HistoryWish } from './history-filter';
import './history.css';

/** Who did what to an app, when; of a removed app too. */
export function History({
  app: { id },
  removed = false,
}: {
  readonly app: { readonly id: number };
  readonly removed?: boolean;
}) {
  const [wish, setWish] = useState<HistoryWish>(NO_FILTER);
  const [page, setPage] = useState(1);
  const history = useQuery({
    queryKey: ['history', id, wish, page],
    queryFn: () => api.list<TimelineEntry>(`/apps/${id}/history${query({ ...asked(wish), page, per_page: 50 })}`),
    placeholderData: (former) => former,
  });
  const narrow = (next: HistoryWish): void => {
    setPage(1);
    setWish(next);
  };
  const isNarrowed = Object.values(wish).some((value) => value !== '');
  return (
    <Section title="History">
      <HistoryFilter wish={wish} narrow={narrow} error={history.error} />
      {!removed && <AsItStood app={id} />}
      {history.isPending && <Loading what="the history" />}
      {history.isError && !isOfFields(history.error) && (
        <ErrorNote error={history.error} again={() => void history.refetch()} />
      )}
      {history.data?.meta.total === 0 && (
        <Empty title="Nothing like that has happened">
          {isNarrowed && <p>Ask for more kinds, more people or a longer time.</p>}
        </Empty>
      )}
      {history.data !== undefined && history.data.data.length > 0 && (
        <>
          <p className="dim" role="status">
            {history.data.meta.total.toLocaleString()} {history.data.meta.total === 1 ? 'entry' : 'entries'}, newest
            first
          </p>
          <Timeline
            entries={history.data.data}
            {...(!removed && { buildPath: (build) => `/apps/${id}/builds/${build}` })}
          />
        </>
      )}
      {history.data !== undefined && <Pager meta={history.data.meta} turn={setPage} />}
    </Section>
  );
}

/** Days of the person as times: from the first second of one to the last of the other. */
function asked({ type, actor, build, from, to }: HistoryWish): Record<string, string> {
  return {
    type,
    actor,
    build,
    from: from === '' ? '' : new Date(`${from}T00:00:00`).toISOString(),
    to: to === '' ? '' : new Date(`${to}T23:59:59.999`).toISOString(),
  };
}
