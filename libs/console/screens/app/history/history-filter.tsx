import { useQuery } from '@tanstack/react-query';
import type { AccessToken } from '@sluice/contracts';
import { useState } from 'react';
import { listAll } from '../../../api/client';
import { useSession } from '../../../api/session';
import { bind } from '../../../parts/bind';
import { EVENT_WORDS } from '../../../parts/event-words';
import { Form, SelectField, TextField } from '../../../parts/form';

/** What `GET …/history` takes; days instead of times. Empty: any. */
export interface HistoryWish {
  readonly type: string;
  readonly actor: string;
  readonly build: string;
  readonly from: string;
  readonly to: string;
}

export const NO_FILTER: HistoryWish = { type: '', actor: '', build: '', from: '', to: '' };

const TYPES = [['', 'Anything'], ...Object.entries(EVENT_WORDS)] as const;

interface HistoryFilterProps {
  readonly wish: HistoryWish;
  readonly narrow: (wish: HistoryWish) => void;
  readonly error: Error | null;
}

export function HistoryFilter({ wish, narrow, error }: HistoryFilterProps) {
  const [draft, setDraft] = useState(wish);
  const session = useSession();
  const tokens = useQuery({
    queryKey: ['tokens', null, 'names'],
    queryFn: ({ signal }) => listAll<AccessToken>('/tokens', signal),
  });
  const owner = session.data?.owner;
  const actors: readonly (readonly [string, string])[] = [
    ['', 'Anybody'],
    ...(owner === undefined ? [] : [[`owner:${owner.id}`, `${owner.name} (you)`] as const]),
    ...(tokens.data ?? []).map(({ id, name }) => [`token:${id}`, `Token “${name}”`] as const),
    ['system:worker', 'Sluice itself (worker)'],
  ];
  const field = bind(draft, (changes) => setDraft({ ...draft, ...changes }));
  return (
    <div className="history-filter">
      <Form
        submit={() => narrow(draft)}
        busy={false}
        error={error}
        verb="Show"
        {...(wish !== NO_FILTER && {
          cancel: () => {
            setDraft(NO_FILTER);
            narrow(NO_FILTER);
          },
        })}
      >
        <SelectField {...field('type')} label="What" options={TYPES} />
        <SelectField {...field('actor')} label="Who" options={actors} />
        <TextField {...field('build')} label="Build number" inputMode="numeric" />
        <TextField {...field('from')} label="From" type="date" />
        <TextField {...field('to')} label="To" type="date" />
      </Form>
    </div>
  );
}
