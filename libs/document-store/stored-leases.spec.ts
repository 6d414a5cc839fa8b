import type { DocumentStore, Row, RowVersion } from './port';
import { StoredLeases } from './stored-leases';

interface LeaseRow extends Row {
  readonly holder: string;
}

const LEASE_MS = 300;
const clock = { monotonic: () => Date.now() };
let stored: { row: LeaseRow; version: RowVersion } | undefined;
let away: boolean;
let versions: number;

/** One row, guarded by its version as the port promises. */
const rows = {
  getVersioned: () => (away ? Promise.reject(new Error('away')) : Promise.resolve(stored)),
  put: (row: LeaseRow, expected: RowVersion | 'absent') => {
    if (away) return Promise.reject(new Error('away'));
    if (expected !== (stored?.version ?? 'absent')) return Promise.resolve(undefined);
    stored = { row, version: ++versions };
    return Promise.resolve(stored.version);
  },
  delete: (_: string, expected: RowVersion) => {
    if (away) return Promise.reject(new Error('away'));
    if (stored?.version === expected) stored = undefined;
    return Promise.resolve(stored === undefined);
  },
};

const processOf = (holder: string) => {
  const store = { rows: () => rows } as unknown as Pick<DocumentStore, 'rows'>;
  const leases = new StoredLeases<LeaseRow>({
    ...{ store, clock, leaseMs: LEASE_MS },
    collection: { name: 'leases', indexes: [] },
  });
  return () => leases.take(() => ({ id: 'signer', holder }));
};

beforeEach(() => {
  jest.useFakeTimers();
  [stored, away, versions] = [undefined, false, 0];
});
afterEach(() => jest.useRealTimers());

describe('StoredLeases', () => {
  it('gives a lease to one process until it is released', async () => {
    const [one, other] = [processOf('one'), processOf('other')];
    const lease = await one();
    expect(await other()).toBeUndefined();
    await jest.advanceTimersByTimeAsync(10 * LEASE_MS);
    expect(await other()).toBeUndefined();
    expect([lease?.signal.aborted, stored?.row.holder]).toEqual([false, 'one']);
    await lease?.release();
    expect(await other()).toBeDefined();
  });

  it('gives a lease away that was not renewed for its whole length since the first look', async () => {
    const [one, other] = [processOf('one'), processOf('other')];
    const lease = await one();
    await lease?.stop();
    await jest.advanceTimersByTimeAsync(10 * LEASE_MS);
    expect(await other()).toBeUndefined();
    await jest.advanceTimersByTimeAsync(LEASE_MS - 1);
    expect(await other()).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    expect(await other()).toBeDefined();
    expect(stored?.row.holder).toBe('other');
  });

  it('aborts the signal of a holder that was overtaken, and keeps it from deleting the lease', async () => {
    const lease = await processOf('one')();
    stored = { row: { id: 'signer', holder: 'other' }, version: ++versions };
    await jest.advanceTimersByTimeAsync(LEASE_MS / 3);
    expect(lease?.signal.aborted).toBe(true);
    await lease?.release();
    expect(stored.row.holder).toBe('other');
  });

  it('is released without a fault while the store is unavailable', async () => {
    const lease = await processOf('one')();
    away = true;
    await lease?.release();
    expect(stored?.row.holder).toBe('one');
  });
});
