import { keepPreviousData } from '@tanstack/react-query';
import { usePaged } from '../../../api/queries';
import { Section } from '../../../parts/page';
import { Listed } from '../../../parts/pager';
import { Empty, FormErrorNote } from '../../../parts/states';
import { Timeline, type TimelineEntry } from '../../../parts/timeline';
import * as texts from '../../../texts/history';
import { useBuilds } from '../../builds/data';
import { BuildsAsOf } from './builds-as-of';
import { HistoryFilter, useHistoryQuery, type HistoryQuery } from './history-filter';
import './history.css';

/** Who changed an app, what and when. The history of a deleted app is kept. */
export function History({
  app: { id },
  deleted = false,
}: {
  readonly app: { readonly id: number };
  readonly deleted?: boolean;
}) {
  const { query, narrow, isNarrowed } = useHistoryQuery();
  const { list: history, turn } = usePaged<TimelineEntry>(`/apps/${id}/history`, ['history', id], {
    filter: timesOf(query),
    placeholderData: keepPreviousData,
  });
  return (
    <Section title={texts.title}>
      <HistoryFilter
        key={JSON.stringify(query)}
        query={query}
        narrow={(next) => {
          turn(1);
          narrow(next);
        }}
        error={history.error}
      />
      {!deleted && <BuildsAsOf app={id} />}
      <Listed
        of={history}
        turn={turn}
        what={texts.loading}
        note={FormErrorNote}
        empty={
          <Empty title={isNarrowed ? texts.noMatch : texts.noEntries}>{isNarrowed && <p>{texts.noMatchHelp}</p>}</Empty>
        }
      >
        {(entries, { total }) => (
          <>
            <p className="dim" role="status">
              {texts.entries(total)}
            </p>
            {deleted ? <Timeline entries={entries} /> : <TimelineOfApp app={id} entries={entries} />}
          </>
        )}
      </Listed>
    </Section>
  );
}

function TimelineOfApp({ app, entries }: { readonly app: number; readonly entries: readonly TimelineEntry[] }) {
  const builds = useBuilds({ id: app }, {}).data?.data ?? [];
  return <Timeline entries={entries} builds={builds} buildPath={(build) => `/apps/${app}/builds/${build}`} />;
}

/** Local days as times: from the first second of one to the last of the other. A day that is none is left out. */
function timesOf({ type, actor, build, from, to }: HistoryQuery): Record<string, string> {
  return {
    type,
    actor,
    build,
    from: timeOf(`${from}T00:00:00`),
    to: timeOf(`${to}T23:59:59.999`),
  };
}

function timeOf(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}
