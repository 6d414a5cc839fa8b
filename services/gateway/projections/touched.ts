import type { Change, ChangeTopic } from '@sluice/contracts';
import type { RecordedEvent } from '@sluice/event-store';

/** Whose projections make the rows that an event changes, by the category of its stream. */
export const KEEPERS = {
  apps: 'registry',
  app: 'registry',
  token: 'registry',
  owner: 'registry',
  channel: 'build-pipeline',
  job: 'build-pipeline',
  apiKeys: 'keys',
  signingKey: 'keys',
  keystore: 'keys',
  merchant: 'merchant-sync',
  syncRun: 'merchant-sync',
} as const;
type Category = keyof typeof KEEPERS;
export type Keeper = (typeof KEEPERS)[Category];

const TOPICS: Readonly<Record<Category, ChangeTopic>> = {
  apps: 'apps',
  app: 'apps',
  token: 'tokens',
  owner: 'owner',
  channel: 'builds',
  job: 'jobs',
  apiKeys: 'keys',
  signingKey: 'signing-key',
  keystore: 'keystore',
  merchant: 'listings',
  syncRun: 'listings',
};

/** What an event changed, as far as it tells by itself: of a job's, `app` is null and its stream knows. */
export interface Touched extends Change {
  readonly keeper: Keeper;
}

/** Undefined where nothing that anybody is shown has changed. Types that a newer release added count as well. */
export function touchedBy({
  stream,
  type,
  data,
}: Pick<RecordedEvent, 'stream' | 'type' | 'data'>): Touched | undefined {
  const [category = '', subject = ''] = stream.split('-', 2);
  if (!Object.hasOwn(KEEPERS, category) || type === 'JobRenewed') return undefined;
  const of = (app: number | null, id?: unknown): Touched => ({
    ...{ topic: TOPICS[category as Category], app, keeper: KEEPERS[category as Category] },
    ...((typeof id === 'number' || typeof id === 'string') && { id }),
  });
  switch (category as Category) {
    case 'apps':
      return of(typeof data['id'] === 'number' ? data['id'] : null);
    case 'app':
    case 'keystore':
      return of(Number(subject));
    case 'channel':
      return of(Number(subject), data['buildId']);
    case 'apiKeys':
    case 'signingKey':
      return of(Number(subject), data['id']);
    case 'token':
    case 'owner':
      return of(null, Number(subject));
    case 'job':
      return of(null, subject);
    case 'merchant':
      return of(null);
    case 'syncRun':
      return of(null, subject);
  }
}
