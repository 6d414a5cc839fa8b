/**
 * Loaded by `--require` into each thread of a started server: its clocks are ahead of the machine's by as many
 * milliseconds as the file MOVED_CLOCK holds, so that minutes pass when a test says so. Timers take as long as always.
 * MOVED_CLOCK_OWN is added in the main thread alone: the threads of the event store keep a clock that all replicas share.
 */
const { readFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

/** The main thread follows the others: what they record must not be before what it saw. */
const READ_AGAIN_MS = isMainThread ? 20 : 0;
const { MOVED_CLOCK: path, MOVED_CLOCK_OWN: own = '0' } = process.env;
const wall = Date.now;
const monotonic = performance.now.bind(performance);
const ofThread = isMainThread ? Number(own) : 0;
let moved = 0;
let readAt = -Infinity;

function ahead() {
  const now = monotonic();
  if (now - readAt >= READ_AGAIN_MS) {
    moved = Number(readFileSync(path, 'utf8'));
    readAt = now;
  }
  return moved;
}

Date.now = () => wall() + ahead() + ofThread;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [target.now()] : given, newTarget),
});
performance.now = () => monotonic() + ahead();
