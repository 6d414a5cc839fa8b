import { evolveAll } from '@sluice/kernel';
import { merchant, type Merchant, type MerchantCommand, type MerchantEvent } from './merchant';

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

const given = (...events: MerchantEvent[]): Merchant => evolveAll(merchant, merchant.initialState(), events);
const start = (changes: Partial<Extract<MerchantCommand, { type: 'StartRun' }>> = {}): MerchantCommand => ({
  ...{ type: 'StartRun', runId: 'r2', runType: undefined, productId: undefined, trigger: 'manual' },
  ...{ now: NOW, offerPrefix: 'shop', firstValues },
  ...changes,
});
const refusal = (code: string) => expect.objectContaining({ code }) as Error;

describe('starting a run', () => {
  it('given none before, is full and freezes the prefix', () => {
    expect(merchant.decide(start({ runId: 'r1' }), given(connected))).toEqual([frozen, started('r1')]);
  });

  it('given a run before, is incremental and keeps the prefix, whatever the settings say by now', () => {
    const state = given(connected, frozen, started('r1'), ended('r1'));
    expect(merchant.decide(start({ offerPrefix: 'other' }), state)).toEqual([started('r2', 'incremental')]);
    expect(state.offerPrefix).toBe('shop');
  });

  it('given only a single run before, is full', () => {
    const state = given(connected, frozen, started('r1', 'single'), ended('r1'));
    expect(merchant.decide(start(), state)).toEqual([started('r2')]);
  });

  it('is single with a product, and what is asked for otherwise', () => {
    const state = given(connected, frozen, started('r1'), ended('r1'));
    expect(merchant.decide(start({ productId: '7' }), state)).toEqual([started('r2', 'single')]);
    expect(merchant.decide(start({ runType: 'full' }), state)).toEqual([started('r2', 'full')]);
  });

  it('given one that goes on, is refused', () => {
    expect(() => merchant.decide(start(), given(connected, frozen, started('r1')))).toThrow(
      refusal('sync_already_running'),
    );
  });

  it('given no connection, or one whose grant is gone, or a module that is off, is refused', () => {
    expect(() => merchant.decide(start(), given())).toThrow(refusal('not_connected'));
    const gone: MerchantEvent = { type: 'ConnectionNeedsReauthorization', data: { connectionId: 'c' } };
    expect(() => merchant.decide(start(), given(connected, gone))).toThrow(refusal('reauth_required'));
    expect(() => merchant.decide(start({ firstValues: { enabled: false, entitled: true } }), given())).toThrow(
      refusal('module_disabled'),
    );
  });

  it('given that another replica started the scheduled one meanwhile, does nothing', () => {
    const scheduled = start({ trigger: 'schedule', after: null });
    const [, event] = merchant.decide(scheduled, given(connected));
    const state = given(connected, frozen, event!, ended('r2'));
    expect(state.runs.scheduledAt).toBe(NOW);
    expect(merchant.decide(scheduled, state)).toEqual([]);
    expect(merchant.decide(start({ trigger: 'schedule', after: NOW }), state)).toHaveLength(1);
  });
});

it('ends the run that goes on, and no other', () => {
  const end = (runId: string) => ({ type: 'EndRun', runId, outcome: 'completed' }) as const;
  const state = given(connected, frozen, started('r1'));
  expect(merchant.decide(end('r1'), state)).toEqual([ended('r1')]);
  expect(merchant.decide(end('r0'), state)).toEqual([]);
  expect(merchant.decide(end('r1'), given(connected, frozen, started('r1'), ended('r1')))).toEqual([]);
});
