import { reasonToSend, statusOf, type OfferPast } from './sending';

const NOW = new Date('2026-03-30T12:00:00.000Z');
const settings = { max_retries: 5, refresh_after_days: 25 };
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000).toISOString();

const unchanged: OfferPast = {
  ...{ live: true, sync_hash: 'h', tried_hash: 'h', last_synced_at: daysAgo(1), expires_at: daysAgo(-29) },
  ...{ listing_status: 'approved', item_failures: 0, last_error: null, missing: false },
};
const refusedTimes = (times: number) => ({ item_failures: times, last_error: 'invalid: No image.' });
const reason = (past: Partial<OfferPast> | undefined, hash = 'h') =>
  reasonToSend({ runType: 'incremental', trigger: 'manual' }, past && { ...unchanged, ...past }, hash, settings, NOW);

describe('an incremental run', () => {
  it.each<[string, Partial<OfferPast> | undefined, string | undefined]>([
    ['what did not change', {}, undefined],
    ['what is not there', undefined, 'new'],
    ['what was deleted', { live: false }, 'new'],
    ['what was never acknowledged', { sync_hash: null, tried_hash: 'other' }, 'changed'],
    ['what was tried otherwise since, with an unknown outcome', { tried_hash: 'other' }, 'changed'],
    ['what was tried as it is now, with an unknown outcome', { sync_hash: 'other' }, 'changed'],
    ['what was refused', { sync_hash: null, ...refusedTimes(1) }, 'failed'],
    ['what was refused as often as settings allow', refusedTimes(5), 'failed'],
    ['what was refused once more', refusedTimes(6), undefined],
    ['what was refused and changed since', { ...refusedTimes(6), tried_hash: 'other', sync_hash: 'other' }, 'changed'],
    ['what an outage kept away', { last_error: 'unavailable: Later.' }, 'failed'],
    ['what Google lost', { missing: true }, 'missing'],
    ['what expires', { listing_status: 'expiring' }, 'expiring'],
    ['what has come to expire since it was looked at', { expires_at: daysAgo(-2.9) }, 'expiring'],
    ['what has three days', { expires_at: daysAgo(-3) }, undefined],
    ['what is disapproved and expires', { listing_status: 'disapproved', expires_at: daysAgo(-1) }, undefined],
    ['what is old', { last_synced_at: daysAgo(25) }, 'aged'],
    ['what has no time of its last sync', { last_synced_at: null }, 'aged'],
    ['what is not quite old', { last_synced_at: daysAgo(24.9) }, undefined],
  ])('given %s, decides by it', (_, past, expected) => {
    expect(reason(past)).toBe(expected);
  });

  it('given other content, sends it', () => {
    expect(reason({}, 'other')).toBe('changed');
  });
});

it.each(['full', 'single'] as const)('a %s run sends whatever it finds', (runType) => {
  expect(reasonToSend({ runType, trigger: 'manual' }, unchanged, 'h', settings, NOW)).toBe('asked');
  expect(reasonToSend({ runType, trigger: 'manual' }, { ...unchanged, ...refusedTimes(9) }, 'h', settings, NOW)).toBe(
    'asked',
  );
});

it('an approved offer with under 3 days left is expiring, any other is as it is reported', () => {
  expect(statusOf('approved', daysAgo(-2.9), NOW)).toBe('expiring');
  expect(statusOf('approved', daysAgo(-3), NOW)).toBe('approved');
  expect(statusOf('approved', null, NOW)).toBe('approved');
  expect(statusOf('disapproved', daysAgo(-1), NOW)).toBe('disapproved');
  expect(statusOf('pending', daysAgo(-1), NOW)).toBe('pending');
});

it('a repair tries once more what was refused too often', () => {
  const refused = { ...unchanged, ...refusedTimes(9) };
  expect(reasonToSend({ runType: 'incremental', trigger: 'repair' }, refused, 'h', settings, NOW)).toBe('failed');
});
