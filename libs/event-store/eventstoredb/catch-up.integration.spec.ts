import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@sluice/testing';
import type { EventBatch, Position, RecordedEvent } from '../port';
import { START } from '../port';
import { CatchUp, type Wanted } from './catch-up';

const position = (place: number): Position => `${String(place).padStart(20, '0')}.${String(place).padStart(20, '0')}`;
const batch = (stream: string, place: number): EventBatch => ({
  events: [{ stream, position: position(place) } as RecordedEvent],
  position: position(place),
});

/** A log of one event every 100,000 bytes, in turns of streams a and b, that notes who reads it. */
function logOf(events: number) {
  const reads: Wanted[] = [];
  const catchUp = new CatchUp(async function* (wanted, signal) {
    reads.push(wanted);
    for (let index = 1; index <= events && !signal.aborted; index += 1) {
      const next = batch(index % 2 === 0 ? 'b-1' : 'a-1', index * 100_000);
      if (next.position <= wanted.after) continue;
      await pause(0);
      yield next;
      if (next.position >= wanted.goal) return;
    }
  });
  return { reads, catchUp };
}

const collect = async (
  catchUp: CatchUp,
  wanted: Wanted,
  handle: (batch: EventBatch) => Promise<unknown> = () => Promise.resolve(),
) => {
  const seen: Position[] = [];
  let last = wanted.after;
  for await (const each of catchUp.batches(wanted, 16, new AbortController().signal)) {
    expect(each.position > last).toBe(true);
    expect(each.events.length).toBeLessThanOrEqual(16);
    last = each.position;
    seen.push(...each.events.map((event) => event.position));
    await handle(each);
  }
  return { seen, last };
};
const places = (from: number, to: number, step: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => position((from + index * step) * 100_000));

it('reads the log once for all that begin together, from the position of the last of them', async () => {
  const { catchUp, reads } = logOf(60);
  const goal = position(6_000_000);
  const [a, b, rest] = await Promise.all([
    collect(catchUp, { after: position(1_000_000), goal, prefixes: ['a-'] }),
    collect(catchUp, { after: START, goal, prefixes: ['b-'] }),
    collect(catchUp, { after: position(3_000_000), goal, prefixes: ['a-', 'c-'] }),
  ]);
  expect(reads).toEqual([{ after: START, goal, prefixes: ['a-', 'b-', 'c-'] }]);
  expect(a.seen).toEqual(places(11, 59, 2));
  expect(b.seen).toEqual(places(2, 60, 2));
  expect(rest.seen).toEqual(places(31, 59, 2));
  for (const { last } of [a, b, rest]) expect(last).toBe(goal);
});

it('reads again for one that comes later and lacks more, or other streams', async () => {
  const { catchUp, reads } = logOf(300);
  const goal = position(30_000_000);
  const first = collect(catchUp, { after: position(10_000_000), goal, prefixes: ['a-'] });
  await eventually(() => reads.length !== 0);
  const [joined, earlier, other] = await Promise.all([
    collect(catchUp, { after: position(10_000_000), goal, prefixes: ['a-'] }),
    collect(catchUp, { after: START, goal, prefixes: ['a-'] }),
    collect(catchUp, { after: position(10_000_000), goal, prefixes: ['b-'] }),
  ]);
  expect((await first).seen).toEqual(places(101, 299, 2));
  expect(joined.seen).toEqual(places(101, 299, 2));
  expect(earlier.seen).toEqual(places(1, 299, 2));
  expect(other.seen).toEqual(places(102, 300, 2));
  expect(reads).toHaveLength(2);
});

it('holds little for the slower ones, and leaves one that has stopped to a read of its own', async () => {
  const { catchUp, reads } = logOf(600);
  const goal = position(60_000_000);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const slow = collect(catchUp, { after: START, goal, prefixes: ['a-'] }, () => held);
  const quick = await collect(catchUp, { after: START, goal, prefixes: ['b-'] });
  expect(quick.seen).toEqual(places(2, 600, 2));
  expect(reads).toHaveLength(1);
  release();
  expect((await slow).seen).toEqual(places(1, 599, 2));
  expect(reads).toHaveLength(2);
});

it('reports to all of them why a read failed, and starts with the next one', async () => {
  let broken = true;
  const catchUp = new CatchUp(async function* () {
    await pause(0);
    yield batch('a-1', 100_000);
    if (broken) throw new Error('It broke.');
    yield batch('a-1', 200_000);
  });
  const wanted = { after: START, goal: position(200_000), prefixes: ['a-'] };
  const outcomes = await Promise.allSettled([collect(catchUp, wanted), collect(catchUp, wanted)]);
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'It broke.' } });
  broken = false;
  expect((await collect(catchUp, wanted)).seen).toHaveLength(2);
});

it('ends with its signal, and its read when no reader is left', async () => {
  const { catchUp, reads } = logOf(100_000);
  const stop = new AbortController();
  let ended: Position = START;
  for await (const each of catchUp.batches({ after: START, goal: position(1e10), prefixes: ['a-'] }, 4, stop.signal)) {
    ended = each.position;
    stop.abort();
  }
  expect(ended > START).toBe(true);
  const again = await collect(catchUp, { after: START, goal: position(200_000), prefixes: ['a-'] });
  expect(again.seen[0]).toBe(position(100_000));
  expect(reads).toHaveLength(2);
});
