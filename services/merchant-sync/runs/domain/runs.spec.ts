import { specify } from '@sluice/testing';
import { merchant, type MerchantCommand, type MerchantEvent } from '../../settings/domain/merchant';

const firstValues = { enabled: true, entitled: true };
const NOW = '2026-03-01T12:00:00.000Z';

const connected: MerchantEvent = {
  type: 'MerchantConnected',
  data: { connectionId: 'c', connectedAt: '2026-02-01T00:00:00.000Z', adapter: 'merchant_api_v1', scopes: [] },
};
const frozen: MerchantEvent = { type: 'OfferPrefixFrozen', data: { prefix: 'shop' } };
const started = (runId: string, runType: 'full' | 'incremental' | 'single' = 'full'): MerchantEvent => ({
  type: 'SyncRunStarted',
  data: { runId, runType, trigger: 'manual', productId: runType === 'single' ? '7' : null, startedAt: NOW },
});
const ended = (runId: string): MerchantEvent => ({ type: 'SyncRunEnded', data: { runId, outcome: 'completed' } });

const { given } = specify(merchant);
const start = (changes: Partial<Extract<MerchantCommand, { type: 'StartRun' }>> = {}): MerchantCommand => ({
  ...{ type: 'StartRun', runId: 'r2', runType: undefined, productId: undefined, trigger: 'manual' },
  ...{ now: NOW, offerPrefix: 'shop', firstValues },
  ...changes,
});

describe('starting a run', () => {
  it('given none before, is full and freezes the prefix', () => {
    given(connected)
      .when(start({ runId: 'r1' }))
      .then(frozen, started('r1'));
  });

  it('given a run before, is incremental and keeps the prefix, whatever the settings say by now', () => {
    const stream = given(connected, frozen, started('r1'), ended('r1'));
    stream.when(start({ offerPrefix: 'other' })).then(started('r2', 'incremental'));
    expect(stream.state.offerPrefix).toBe('shop');
  });

  it('given only a single run before, is full', () => {
    const stream = given(connected, frozen, started('r1', 'single'), ended('r1'));
    stream.when(start()).then(started('r2'));
  });

  it('is single with a product, and the requested type otherwise', () => {
    const stream = given(connected, frozen, started('r1'), ended('r1'));
    stream.when(start({ productId: '7' })).then(started('r2', 'single'));
    stream.when(start({ runType: 'full' })).then(started('r2', 'full'));
  });

  it('is rejected during another run', () => {
    given(connected, frozen, started('r1')).when(start()).rejects('sync_already_running');
  });

  it('given no connection, or one whose grant is gone, or a module that is off, is refused', () => {
    given().when(start()).rejects('not_connected');
    const gone: MerchantEvent = { type: 'ConnectionNeedsReauthorization', data: { connectionId: 'c' } };
    given(connected, gone).when(start()).rejects('reauth_required');
    given()
      .when(start({ firstValues: { enabled: false, entitled: true } }))
      .rejects('module_disabled');
  });

  it('given that another replica started the scheduled one meanwhile, does nothing', () => {
    const scheduled = start({ trigger: 'schedule', after: null });
    const [, event] = given(connected).when(scheduled).events;
    const stream = given(connected, frozen, event!, ended('r2'));
    expect(stream.state.runs.scheduledAt).toBe(NOW);
    stream.when(scheduled).then();
    expect(stream.when(start({ trigger: 'schedule', after: NOW })).events).toHaveLength(1);
  });
});

it('ends the current run, and no other', () => {
  const end = (runId: string) => ({ type: 'EndRun', runId, outcome: 'completed' }) as const;
  const stream = given(connected, frozen, started('r1'));
  stream.when(end('r1')).then(ended('r1'));
  stream.when(end('r0')).then();
  given(connected, frozen, started('r1'), ended('r1')).when(end('r1')).then();
});

it('measures the schedule from scheduled runs alone', () => {
  expect(given(connected, frozen, started('r1')).state.runs.scheduledAt).toBeNull();
});

it('prunes logs, which changes nothing of the runs', () => {
  const before = '2026-02-01T00:00:00.000Z';
  const pruned: MerchantEvent = { type: 'SyncLogsPruned', data: { before } };
  given(connected).when({ type: 'PruneLogs', before }).then(pruned);
  const stream = [connected, frozen, started('r1')];
  expect(given(...stream, pruned).state).toEqual(given(...stream).state);
});
