import { useQuery } from '@tanstack/react-query';
import type { AccessToken } from '@sluice/contracts';
import { useState } from 'react';
import { listAll } from '../../../api/client';
import { useSession } from '../../../api/session';
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

export function HistoryFilter({
  wish,
  narrow,
  error,
}: {
  readonly wish: HistoryWish;
  readonly narrow: (wish: HistoryWish) => void;
  readonly error: Error | null;
}) {
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
  const set = (member: keyof HistoryWish) => (value: string) => setDraft({ ...draft, [member]: value });
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
        <SelectField name="type" label="What" value={draft.type} change={set('type')} options={TYPES} />
        <SelectField name="actor" label="Who" value={draft.actor} change={set('actor')} options={actors} />
        <TextField name="build" label="Build number" inputMode="numeric" value={draft.build} change={set('build')} />
        <TextField name="from" label="From" type="date" value={draft.from} change={set('from')} />
        <TextField name="to" label="To" type="date" value={draft.to} change={set('to')} />
      </Form>
    </div>
  );
}
