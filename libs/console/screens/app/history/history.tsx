import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { usePaged } from '../../../api/queries';
import { Section } from '../../../parts/page';
import { Listed } from '../../../parts/pager';
import { Empty, NoteBesideFields } from '../../../parts/states';
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
  const { list: history, turn } = usePaged<TimelineEntry>(`/apps/${id}/history`, ['history', id], {
    filter: asked(wish),
    placeholderData: keepPreviousData,
  });
  const narrow = (next: HistoryWish): void => {
    turn(1);
    setWish(next);
  };
  const isNarrowed = Object.values(wish).some((value) => value !== '');
  return (
    <Section title="History">
      <HistoryFilter wish={wish} narrow={narrow} error={history.error} />
      {!removed && <AsItStood app={id} />}
      <Listed
        of={history}
        turn={turn}
        what="the history"
        note={NoteBesideFields}
        empty={
          <Empty title="Nothing like that has happened">
            {isNarrowed && <p>Ask for more kinds, more people or a longer time.</p>}
          </Empty>
        }
      >
        {(entries, { total }) => (
          <>
            <p className="dim" role="status">
              {total.toLocaleString()} {total === 1 ? 'entry' : 'entries'}, newest first
            </p>
            <Timeline entries={entries} {...(!removed && { buildPath: (build) => `/apps/${id}/builds/${build}` })} />
          </>
        )}
      </Listed>
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
