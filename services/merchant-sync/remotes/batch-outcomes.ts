import type { OfferRef } from '../domain/offer';
import { RemoteError, type Outcome, type RemoteAccess, type RemoteOptions } from './remote-catalog';
import { isTransient } from './remote-fault';
import type { RemoteHttp } from './remote-http';

/** What came of one item of a batch; undefined: the answer does not tell. */
export type ItemAnswer = 'done' | RemoteError | undefined;

export interface Batch<Item extends OfferRef> {
  readonly http: RemoteHttp;
  readonly access: RemoteAccess;
  readonly items: readonly Item[];
  readonly options: RemoteOptions;
  /** One answer per item, in their order, and the token that they were sent with. */
  readonly send: (
    items: readonly Item[],
  ) => Promise<{ readonly answers: readonly ItemAnswer[]; readonly token: string }>;
  readonly remoteProductId: (item: Item) => string;
}

const UNTOLD = new RemoteError('unavailable', 'The remote side left this offer without an answer.');

/**
 * Sends a batch, and again those of its items that a pause, or another token, may help.
 * @throws RemoteError when no item was taken and what stopped them lies in none of them
 */
export async function batchOutcomes<Item extends OfferRef>(batch: Batch<Item>): Promise<Outcome[]> {
  const { items } = batch;
  const results = new Map<Item, 'done' | RemoteError>();
  try {
    await sendAll(batch, results);
  } catch (error) {
    const taken = [...results.values()].includes('done');
    if (!(error instanceof RemoteError) || !taken) throw error;
    for (const item of items) if (results.get(item) !== 'done') results.set(item, error);
  }
  const faults = [...results.values()].filter((result) => result !== 'done');
  const [first] = faults;
  if (first !== undefined && faults.length === items.length && faults.every(({ fault }) => fault !== 'refused')) {
    throw first;
  }
  return items.map((item): Outcome => {
    const { offerId } = item;
    const result = results.get(item) ?? UNTOLD;
    if (result === 'done') return { offerId, acknowledged: true, remoteProductId: batch.remoteProductId(item) };
    const passing = result.fault !== 'refused';
    const code = passing ? result.fault : (result.detail.reason ?? 'refused');
    return { offerId, acknowledged: false, code, message: result.message, passing };
  });
}

async function sendAll<Item extends OfferRef>(
  { http, access, items, options, send }: Batch<Item>,
  results: Map<Item, 'done' | RemoteError>,
): Promise<void> {
  const among = (sent: readonly Item[], wanted: (error: RemoteError) => boolean) =>
    sent.filter((item) => {
      const result = results.get(item);
      return result instanceof RemoteError && wanted(result);
    });
  let refreshed = false;
  let waiting = items;
  for (let attempt = 0; waiting.length > 0;) {
    const { answers, token } = await send(waiting);
    for (const [index, item] of waiting.entries()) results.set(item, answers[index] ?? UNTOLD);
    const rejected = among(waiting, ({ fault }) => fault === 'reauth_required');
    const postponed = among(waiting, isTransient);
    if (rejected.length > 0) {
      if (refreshed) await access.refused();
      refreshed = true;
      await http.token(access, options, token);
    } else if (postponed.length > 0) {
      if (attempt >= options.maxRetries) return;
      await http.pause(longestPause(postponed.map((item) => results.get(item) as RemoteError)), attempt, options);
      attempt += 1;
    }
    waiting = [...rejected, ...postponed];
  }
}

function longestPause(faults: readonly RemoteError[]): RemoteError {
  return faults.reduce((longest, fault) =>
    (fault.detail.retryAfterMs ?? 0) > (longest.detail.retryAfterMs ?? 0) ? fault : longest,
  );
}
