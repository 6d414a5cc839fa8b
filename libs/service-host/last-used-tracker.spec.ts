import type { ApiKeyUse } from '@sluice/contracts';
import type { Row, StateStore } from '@sluice/document-store';
import { recordingLogger } from '@sluice/testing';
import { LastUsedTracker } from './last-used-tracker';

const NOON = Date.UTC(2026, 0, 1, 12);
const FAULT = 'The use of credentials could not be written';

const record = jest.fn((uses: ApiKeyUse[]) => Promise.resolve(uses.map(({ id }) => id)));
const logger = recordingLogger();
const fault = (error: Error) => ({ level: 'error', message: FAULT, fields: { err: error } });
let kept: Map<string, Row>;
let tracker: LastUsedTracker<ApiKeyUse>;

const open = () => {
  const rows = {
    put: (row: Row) => Promise.resolve(kept.set(row.id, row).size),
    find: () => Promise.resolve([...kept.values()]),
    delete: (id: string) => Promise.resolve(kept.delete(id)),
  };
  tracker = new LastUsedTracker<ApiKeyUse>({
    ...{ credentials: 'credentials', state: { rows: () => rows } as unknown as StateStore, outbox: 'uses', batch: 2 },
    ...{ useOf: (use) => use, record, logger },
  });
};

const time = (seconds: number) => new Date(NOON + seconds * 1_000).toISOString();
const used = (id: number, seconds: number): ApiKeyUse => ({
  ...{ id, usedAt: time(seconds), blocked: 0, blockedAt: null, blockedReason: null },
});
const calls = () => record.mock.calls.map(([uses]) => uses);

beforeEach(() => {
  jest.useFakeTimers({ now: NOON });
  record.mockClear();
  logger.lines.length = 0;
  kept = new Map();
  open();
});

afterEach(async () => {
  await tracker.stop();
  jest.useRealTimers();
});

describe('LastUsedTracker', () => {
  it('sends new uses every five seconds, in batches, and makes no call without new uses', async () => {
    for (const id of [1, 2, 3]) tracker.used(id);
    await jest.advanceTimersByTimeAsync(4_999);
    expect(calls()).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(calls()).toEqual([[used(1, 0), used(2, 0)], [used(3, 0)]]);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(calls()).toHaveLength(2);
    tracker.used(1);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(calls().slice(2)).toEqual([[used(1, 10)]]);
  });

  it('sends the last update check of a credential with its use, also after a stop', async () => {
    tracker.used(1);
    tracker.checked(1, 'android', '1.0.0');
    jest.setSystemTime(NOON + 1_000);
    tracker.checked(1, 'ios', undefined);
    record.mockRejectedValueOnce(new Error('away'));
    await tracker.stop();
    open();
    await tracker.write();
    const check = { at: time(1), platform: 'ios', version: null };
    expect(calls().at(-1)).toEqual([{ ...used(1, 0), check }]);
  });

  it('loses nothing when a call fails, and logs it once', async () => {
    record.mockRejectedValueOnce(new Error('away')).mockRejectedValueOnce(new Error('away'));
    tracker.used(1);
    tracker.blocked(2, 'one');
    await jest.advanceTimersByTimeAsync(5_000);
    tracker.blocked(2, 'other');
    await jest.advanceTimersByTimeAsync(10_000);
    expect(logger.lines).toEqual([fault(new Error('away'))]);
    const blocked = { id: 2, usedAt: null, blocked: 2, blockedAt: time(5), blockedReason: 'other' };
    expect(calls().at(-1)).toEqual([used(1, 0), blocked]);
  });

  it('sends only those uses again whose ids the response does not have', async () => {
    record.mockResolvedValueOnce([1]);
    tracker.used(1);
    tracker.used(2);
    await tracker.write();
    expect(logger.lines).toEqual([fault(new Error('The use of 1 credentials was not stored.'))]);
    await tracker.write();
    expect(calls().slice(1)).toEqual([[used(2, 0)]]);
  });

  it('sends uses that occur during a call with the next call', async () => {
    record.mockImplementationOnce((uses) => {
      jest.setSystemTime(NOON + 1_000);
      tracker.used(1);
      return Promise.resolve(uses.map(({ id }) => id));
    });
    tracker.used(1);
    await tracker.write();
    await tracker.write();
    expect(calls()).toEqual([[used(1, 0)], [used(1, 1)]]);
  });

  it('stores at its stop the uses that it can not send, and another process sends them with its own', async () => {
    record.mockRejectedValueOnce(new Error('away'));
    tracker.used(1);
    tracker.blocked(1, 'one');
    await tracker.stop();
    expect(kept.size).toBe(1);
    jest.setSystemTime(NOON + 1_000);
    open();
    tracker.blocked(1, 'other');
    await tracker.write();
    expect(kept.size).toBe(0);
    expect(calls().at(-1)).toEqual([
      { id: 1, usedAt: time(0), blocked: 2, blockedAt: time(1), blockedReason: 'other' },
    ]);
  });

  it('logs an error when it can neither send nor store the last uses', async () => {
    record.mockRejectedValueOnce(new Error('away'));
    tracker.used(1);
    kept.set = () => {
      throw new Error('full');
    };
    await tracker.stop();
    expect(logger.lines).toEqual([fault(new Error('away')), fault(new Error('full'))]);
  });
});
