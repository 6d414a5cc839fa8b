import { LostLeaseError, systemClock } from '@sluice/kernel';
import { holdLease } from './lease';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const hold = (renew: () => Promise<unknown>) =>
  holdLease({
    leaseMs: 300,
    clock: { ...systemClock, monotonic: () => Date.now() },
    renew,
  });

describe('holdLease', () => {
  it('renews every third of the lease, for as long as the work takes', async () => {
    const renew = jest.fn(() => Promise.resolve());
    const lease = hold(renew);
    await jest.advanceTimersByTimeAsync(3_050);
    expect(renew).toHaveBeenCalledTimes(30);
    expect(lease.signal.aborted).toBe(false);
    await lease.stop();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(renew).toHaveBeenCalledTimes(30);
    expect(lease.signal.aborted).toBe(false);
  });

  it('gives up once it could not renew for two thirds of the lease', async () => {
    const lease = hold(() => Promise.reject(new Error('away')));
    await jest.advanceTimersByTimeAsync(199);
    expect(lease.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(lease.signal.aborted).toBe(true);
    await lease.stop();
  });

  it('gives up while a renewal hangs', async () => {
    const lease = hold(() => new Promise(() => undefined));
    await jest.advanceTimersByTimeAsync(200);
    expect(lease.signal.aborted).toBe(true);
  });

  it('counts two thirds from the beginning of the last renewal that worked', async () => {
    let away = false;
    const lease = hold(() => (away ? Promise.reject(new Error('away')) : Promise.resolve()));
    await jest.advanceTimersByTimeAsync(150);
    away = true;
    await jest.advanceTimersByTimeAsync(149);
    expect(lease.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(lease.signal.aborted).toBe(true);
    await lease.stop();
  });

  it('gives up immediately when another process holds it', async () => {
    const lease = hold(() => Promise.reject(new LostLeaseError('taken')));
    await jest.advanceTimersByTimeAsync(100);
    expect(lease.signal.aborted).toBe(true);
    await lease.stop();
  });
});
