import { useQuery } from '@tanstack/react-query';
import type { AccessToken } from '@sluice/contracts';
import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { listAll } from '../../../api/client';
import { useSession } from '../../../api/session';
import { bind } from '../../../parts/bind';
import { Form, SelectField, TextField } from '../../../parts/form';
import * as texts from '../../../texts/history';
import { events } from '../../../texts/timeline';

/** The query of `GET …/history`, with days instead of times. Empty: any. */
export interface HistoryQuery {
  readonly type: string;
  readonly actor: string;
  readonly build: string;
  readonly from: string;
  readonly to: string;
}

const NO_FILTER: HistoryQuery = { type: '', actor: '', build: '', from: '', to: '' };
const MEMBERS = Object.keys(NO_FILTER) as (keyof HistoryQuery)[];

/** The filter in the address, and a function that changes it there. */
export function useHistoryQuery() {
  const [search, setSearch] = useSearchParams();
  const query = Object.fromEntries(
    MEMBERS.map((member) => [member, search.get(member) ?? '']),
  ) as unknown as HistoryQuery;
  const narrow = (next: HistoryQuery): void =>
    setSearch(new URLSearchParams(MEMBERS.flatMap((member) => (next[member] === '' ? [] : [[member, next[member]]]))));
  return { query, narrow, isNarrowed: MEMBERS.some((member) => query[member] !== '') };
}

const TYPES = [['', texts.anyEvent], ...Object.entries(events)] as const;

interface HistoryFilterProps {
  readonly query: HistoryQuery;
  readonly narrow: (query: HistoryQuery) => void;
  /** What “Show” does, if not that. */
  readonly submit?: (query: HistoryQuery) => void;
  readonly error: Error | null;
  /** In place of the fields that only the history of one app has. */
  readonly children?: ReactNode;
}

/** Mounted again for another query. */
export function HistoryFilter({ query, narrow, submit = narrow, error, children }: HistoryFilterProps) {
  const [draft, setDraft] = useState(query);
  const session = useSession();
  const tokens = useQuery({
    queryKey: ['tokens', null, 'names'],
    queryFn: ({ signal }) => listAll<AccessToken>('/tokens', signal),
  });
  const owner = session.data?.owner;
  const actors: readonly (readonly [string, string])[] = [
    ['', texts.everyone],
    ...(owner === undefined ? [] : [[`owner:${owner.id}`, texts.you(owner.name)] as const]),
    ...(tokens.data ?? []).map(({ id, name }) => [`token:${id}`, texts.token(name)] as const),
    ['system:worker', texts.worker],
  ];
  const field = bind(draft, (changes) => setDraft({ ...draft, ...changes }));
  return (
    <div className="history-filter">
      <Form
        submit={() => submit(draft)}
        busy={false}
        error={error}
        verb={texts.show}
        {...(MEMBERS.some((member) => query[member] !== '') && { cancel: () => narrow(NO_FILTER) })}
      >
        <SelectField {...field('type')} label={texts.event} options={TYPES} />
        <SelectField {...field('actor')} label={texts.who} options={actors} />
        {children ?? (
          <>
            <TextField {...field('build')} label={texts.buildNumber} inputMode="numeric" />
            <TextField {...field('from')} label={texts.from} type="date" />
            <TextField {...field('to')} label={texts.to} type="date" />
          </>
        )}
      </Form>
    </div>
  );
}
