import { UnknownEventError } from '@sluice/kernel';
import { specify } from '@sluice/testing';
import { DEFAULT_SYNC_SETTINGS } from './sync-settings';
import { type RunProgress, syncRun, type SyncRunCommand, type SyncRunEvent, syncRunStream } from './sync-run';

const run = {
  order: { runId: 'r', runType: 'full', trigger: 'manual', productId: null, startedAt: '2026-03-01T12:00:00.000Z' },
  settings: DEFAULT_SYNC_SETTINGS,
} as const;
const target = { targetCountry: 'US', contentLanguage: 'en', channel: 'online' } as const;
const offer = (offerId: string) =>
  ({ offerId, productId: '1', variationId: null, itemGroupId: null, isNew: true, hash: 'h' }) as const;
const refused = (offerId: string) => ({ ...offer(offerId), code: 'no', message: 'No.' });

const opened: SyncRunEvent = { type: 'SyncRunOpened', data: run };
const taken = (holder: string): SyncRunEvent => ({ type: 'SyncRunTaken', data: { holder } });
const sent: SyncRunEvent = {
  type: 'OffersSent',
  data: { target, sent: [{ ...offer('a'), remoteProductId: 'A' }], refused: [refused('b')] },
};
const deleted: SyncRunEvent = {
  type: 'OffersDeleted',
  data: { deleted: ['c', 'd'], refused: [{ id: 'e', code: 'no', message: 'No.' }] },
};
const close = (holder: string): SyncRunCommand => ({
  ...{ type: 'CloseRun', holder, outcome: 'partial', skipped: 3, error: 'Some.', details: {} },
});

const record = (holder: string, progress: RunProgress): SyncRunCommand => ({
  ...{ type: 'RecordProgress', holder, progress },
});

const { given } = specify(syncRun);
const LOST = { name: 'LostLeaseError' };

describe('taking a run', () => {
  const take = (takes: number): SyncRunCommand => ({ type: 'TakeRun', holder: 'b', takes, run });

  it('given nothing, opens it', () => {
    given().when(take(0)).then(opened, taken('b'));
  });

  it('continues the work of a holder that is gone', () => {
    given(opened, taken('a')).when(take(1)).then(taken('b'));
  });

  it('given that another was faster, or that it has ended, is refused', () => {
    given(opened, taken('a')).when(take(0)).rejects(LOST);
    const [closed] = given(opened, taken('a')).when(close('a')).events;
    given(opened, taken('a'), closed!).when(take(1)).rejects(LOST);
  });
});

describe('a run', () => {
  it('given another holder, takes nothing more from the former one', () => {
    const stream = given(opened, taken('a'), taken('b'));
    const progress: RunProgress[] = [
      { type: 'OffersTried', data: { target, tried: [] } },
      { type: 'OffersSent', data: { target, sent: [], refused: [] } },
      { type: 'OffersDeleted', data: { deleted: [], refused: [] } },
      { type: 'StatusesRead', data: { statuses: [], missing: [], resurfaced: [] } },
      { type: 'CatalogRead', data: { offers: 0 } },
    ];
    for (const event of progress) stream.when(record('b', event)).then(event);
    for (const command of [...progress.map((event) => record('a', event)), close('a')]) {
      stream.when(command).rejects(LOST);
      expect(stream.when({ ...command, holder: 'b' }).events).toHaveLength(1);
    }
  });

  it('given batches of several holders, is closed with the sum of them', () => {
    const stream = given(opened, taken('a'), sent, taken('b'), sent, deleted);
    const counts = { processed: 2, failed: 3, deleted: 2 };
    stream
      .when(close('b'))
      .then({ type: 'SyncRunClosed', data: { outcome: 'partial', skipped: 3, error: 'Some.', details: {}, counts } });
    expect(stream.state.failures.map((failure) => failure.offer)).toEqual(['b', 'b', 'e']);
  });

  it('given its end, takes nothing more', () => {
    const [closed] = given(opened, taken('a')).when(close('a')).events;
    const ended = given(opened, taken('a'), closed!);
    ended.when(close('a')).rejects(LOST);
    expect(ended.state).toMatchObject({ status: 'partial', holder: 'a' });
  });

  it('remembers that the catalogue was read, and changes nothing for what is only recorded', () => {
    const stream = [opened, taken('a')];
    const before = given(...stream).state;
    expect(before.catalogRead).toBe(false);
    const tried: SyncRunEvent = { type: 'OffersTried', data: { target, tried: [] } };
    const read: SyncRunEvent = { type: 'StatusesRead', data: { statuses: [], missing: [], resurfaced: [] } };
    expect(given(...stream, tried, read).state).toEqual(before);
    const wholeCatalogue: SyncRunEvent = { type: 'CatalogRead', data: { offers: 0 } };
    expect(given(...stream, wholeCatalogue).state).toEqual({ ...before, catalogRead: true });
  });

  it('remembers the first 20 refusals and the last outage', () => {
    const refusedOffers = Array.from({ length: 25 }, (_, index) => refused(`offer-${index}`));
    const outage = { fault: 'timeout', message: 'Later.' } as const;
    const interrupted: SyncRunEvent = {
      type: 'OffersSent',
      data: { target, sent: [], refused: refusedOffers, outage },
    };
    const { state } = given(opened, taken('a'), interrupted, deleted);
    expect(state.failures).toHaveLength(20);
    expect(state.failures[19]).toEqual({ offer: 'offer-19', code: 'no', message: 'No.' });
    expect(state.counts.failed).toBe(26);
    expect(state.outage).toEqual(outage);
  });
});

it('stops at an event of a newer release', () => {
  const unknown = { type: 'SyncRunPainted', data: {} } as unknown as SyncRunEvent;
  expect(() => given(unknown)).toThrow(UnknownEventError);
});

it('keeps its events in the stream syncRun-r', () => {
  expect(syncRunStream('r')).toBe('syncRun-r');
});
