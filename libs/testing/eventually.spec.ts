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
  const results = [false, undefined, 'passed'];
  await expect(eventually(() => results.shift(), { everyMs: 7, clock })).resolves.toBe('passed');
  expect(clock.pauses).toEqual([7, 7]);
});

it('takes null and an empty text for passed', async () => {
  for (const result of [null, '', 0]) {
    await expect(eventually(() => result, { withinMs: 0, clock: fakeClock() })).resolves.toBe(result);
  }
});

it.each([
  ['throws', () => expect(1).toBe(2)],
  ['rejects', () => Promise.reject(new Error('toBe'))],
])('does not repeat a check that %s', async (_, check) => {
  const clock = fakeClock();
  await expect(eventually(check, { clock })).rejects.toThrow('toBe');
  expect(clock.pauses).toEqual([]);
});

it('names a check that still fails when the time is over', async () => {
  const clock = fakeClock();
  const isDone = () => false;
  const waiting = eventually(isDone, { withinMs: 30, everyMs: 10, clock });
  await expect(waiting).rejects.toThrow('Still false after 30 ms: ()=>false');
  expect(clock.pauses).toEqual([10, 10, 10]);
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
  await expect(eventually(() => false)).rejects.toThrow('Still false');
}, 1_100);
