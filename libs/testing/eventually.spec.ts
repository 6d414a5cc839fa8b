import { eventually, type WaitClock } from './eventually';

function fakeClock(): WaitClock & { readonly pauses: number[] } {
  const pauses: number[] = [];
  return {
    pauses,
    now: () => pauses.reduce((sum, ms) => sum + ms, 0),
    pause: (ms) => Promise.resolve(pauses.push(ms)),
  };
}

it('returns the result of the first check that passes, after a pause for each that failed', async () => {
  const clock = fakeClock();
  const outcomes = [() => false as const, () => Promise.reject(new Error('not yet')), () => 'passed'];
  await expect(eventually(() => outcomes.shift()!(), { everyMs: 7, clock })).resolves.toBe('passed');
  expect(clock.pauses).toEqual([7, 7]);
});

it('takes a check that returns nothing for passed, as `expect` does', async () => {
  const clock = fakeClock();
  await eventually(() => expect(1).toBe(1), { clock });
  expect(clock.pauses).toEqual([]);
});

it('rejects with the last failure when the time is over', async () => {
  const clock = fakeClock();
  let checks = 0;
  const failing = eventually(() => Promise.reject(new Error(`failure ${(checks += 1)}`)), {
    ...{ withinMs: 30, everyMs: 10, clock },
  });
  await expect(failing).rejects.toThrow('Still failing after 30 ms: failure 4');
  await expect(failing).rejects.toMatchObject({ cause: { message: 'failure 4' } });
});

it('names a check that stays false', async () => {
  const isDone = () => false;
  await expect(eventually(isDone, { withinMs: 0, clock: fakeClock() })).rejects.toThrow('()=>false is false');
});

describe('with the timers of Jest', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('waits no real time', async () => {
    const clock = { now: () => Date.now(), pause: (ms: number) => jest.advanceTimersByTimeAsync(ms) };
    let rung = false;
    setTimeout(() => (rung = true), 20_000);
    await eventually(() => rung, { everyMs: 1_000, clock });
    expect(rung).toBe(true);
  });
});

it('gives up shortly before the test times out', () => {
  expect(globalThis.testEndsAt).toBeGreaterThan(performance.now() + 25_000);
});

it('reports the failure of a test with a timeout of its own', async () => {
  await expect(eventually(() => false)).rejects.toThrow('Still failing');
}, 1_100);
