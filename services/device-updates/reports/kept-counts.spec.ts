import { KEPT_MS, KeptCounts, MAX_OVERDUE_MS, PATIENCE_MS } from './kept-counts';

const clock = { time: 0, monotonic: () => clock.time };

interface Running {
  readonly apps: readonly number[];
  readonly end: (count: number) => Promise<void>;
  readonly fail: () => Promise<void>;
}

/** Counts that are running, in the order in which they were begun. */
let running: Running[];
let kept: KeptCounts<number, { readonly count: number }>;

beforeEach(() => {
  jest.useFakeTimers();
  clock.time = 0;
  running = [];
  kept = new KeptCounts({ clock, max: 10 });
});
afterEach(() => jest.useRealTimers());

const pass = async (ms: number) => {
  clock.time += ms;
  await jest.advanceTimersByTimeAsync(ms);
};

const read = (apps: readonly number[] = [1], patienceMs?: number) =>
  kept
    .of(
      apps,
      (due) =>
        new Promise((resolve, reject) => {
          running.push({
            apps: due,
            end: (count) => {
              resolve(due.map(() => ({ count })));
              return pass(0);
            },
            fail: () => {
              reject(new Error('unavailable'));
              return pass(0);
            },
          });
        }),
      patienceMs,
    )
    .then((counts) => counts.map(({ count }) => count));

/** What a reader has by now. */
async function outcomeOf(reading: Promise<number[]>): Promise<number[] | string> {
  let outcome: number[] | string = 'waits';
  reading.then(
    (counts) => (outcome = counts),
    (error: unknown) => (outcome = (error as Error).message),
  );
  await pass(0);
  return outcome;
}

async function counted(count: number, took = 0): Promise<void> {
  const reading = read();
  await pass(took);
  await running.shift()!.end(count);
  expect(await reading).toEqual([count]);
}

it('waits for a first count, and shares it', async () => {
  const readings = [read(), read()];
  await pass(10 * PATIENCE_MS);
  expect(await outcomeOf(readings[0]!)).toBe('waits');
  expect(running).toHaveLength(1);
  await running[0]!.end(7);
  expect(await Promise.all(readings)).toEqual([[7], [7]]);
});

it('returns the last count to every reader while a recount takes long, and counts once at a time', async () => {
  await counted(7);
  await pass(KEPT_MS);
  const reading = read();
  expect(await outcomeOf(reading)).toBe('waits');
  await pass(PATIENCE_MS);
  expect(await outcomeOf(reading)).toEqual([7]);
  const other = read();
  await pass(PATIENCE_MS);
  expect(await other).toEqual([7]);
  expect(running).toHaveLength(1);
  await running[0]!.end(8);
  expect(await read()).toEqual([8]);
  expect(running).toHaveLength(1);
});

it('returns a recount that is quick', async () => {
  await counted(7);
  await pass(KEPT_MS);
  const reading = read();
  await pass(PATIENCE_MS - 1);
  await running[0]!.end(8);
  expect(await reading).toEqual([8]);
});

it('keeps a count four times as long as it took', async () => {
  await counted(7, 6_000);
  await pass(4 * 6_000 - 1);
  expect(await read()).toEqual([7]);
  expect(running).toEqual([]);
  await pass(1);
  void read();
  expect(running).toHaveLength(1);
});

it('waits for a recount if the last count is too old', async () => {
  await counted(7);
  await pass(KEPT_MS + MAX_OVERDUE_MS + 1);
  const reading = read();
  await pass(10 * PATIENCE_MS);
  expect(await outcomeOf(reading)).toBe('waits');
  await running[0]!.end(8);
  expect(await reading).toEqual([8]);
});

it('waits for a recount without a limit if the reader wants that', async () => {
  await counted(7);
  await pass(KEPT_MS);
  const reading = read([1], Infinity);
  await pass(10 * PATIENCE_MS);
  expect(await outcomeOf(reading)).toBe('waits');
  await running[0]!.end(8);
  expect(await reading).toEqual([8]);
});

it('counts again after a recount that failed, and returns the last count meanwhile', async () => {
  await counted(7);
  await pass(KEPT_MS);
  const [quick, slow] = [read(), read()];
  await pass(PATIENCE_MS);
  expect(await quick).toEqual([7]);
  await running.shift()!.fail();
  expect(await slow).toEqual([7]);
  const reading = read();
  expect(running).toHaveLength(1);
  await running[0]!.fail();
  expect(await outcomeOf(reading)).toBe('unavailable');
});

it('counts an app for the first time without the recounts of others', async () => {
  await counted(7);
  await pass(KEPT_MS);
  const reading = read([1, 2]);
  expect(running.map(({ apps }) => apps)).toEqual([[2], [1]]);
  await running[0]!.end(3);
  await pass(PATIENCE_MS);
  expect(await reading).toEqual([7, 3]);
});
