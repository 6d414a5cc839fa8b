import type { OfferRef } from '../products/domain/offer';
import { RemoteError, type Outcome, type RemoteAccess, type RemoteFault, type RemoteOptions } from './remote-catalog';
import { isTransient } from './remote-fault';
import type { RemoteHttp } from './remote-http';

/** The outcome of one item of a batch; undefined: the response has none. */
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

const UNTOLD = new RemoteError('unavailable', 'Google returned no result for this offer.');

/** Faults of a single item that occur while the merchant API is available. */
const OF_ONE_ITEM: ReadonlySet<RemoteFault> = new Set(['refused', 'unavailable', 'timeout']);

/**
 * Sends a batch, and again those of its items that a pause, or another token, may help. A 5xx for a part of an
 * answered batch is the outcome of that item, and its own fault unless all parts of several failed so.
 * @throws RemoteError when no item was taken and what stopped them lies in none of them: no answer, a limit, no access
 */
export async function batchOutcomes<Item extends OfferRef>(batch: Batch<Item>): Promise<Outcome[]> {
  const { items } = batch;
  const results = new Map<Item, 'done' | RemoteError>();
  let interrupted: RemoteError | undefined;
  try {
    await sendAll(batch, results);
  } catch (error) {
    const taken = [...results.values()].includes('done');
    if (!(error instanceof RemoteError) || !taken) throw error;
    interrupted = error;
    for (const item of items) if (results.get(item) !== 'done') results.set(item, error);
  }
  const faults = [...results.values()].filter((result) => result !== 'done');
  const [first] = faults;
  if (first !== undefined && faults.length === items.length && faults.every(({ fault }) => !OF_ONE_ITEM.has(fault))) {
    throw first;
  }
  const isAnswered =
    items.length === 1 || faults.length < items.length || faults.some(({ fault }) => fault === 'refused');
  return items.map((item): Outcome => {
    const { offerId } = item;
    const result = results.get(item) ?? UNTOLD;
    if (result === 'done') return { offerId, acknowledged: true, remoteProductId: batch.remoteProductId(item) };
    const { fault, message, detail } = result;
    const code = fault === 'refused' ? (detail.reason ?? 'refused') : fault;
    const ownFault = fault === 'refused' || (isAnswered && OF_ONE_ITEM.has(fault));
    return { offerId, acknowledged: false, code, message, passing: !ownFault || result === interrupted };
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
