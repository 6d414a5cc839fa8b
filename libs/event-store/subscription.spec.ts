import { failure } from './contract/events.contract';
import type { EventBatch, Position } from './port';
import { runSubscription } from './subscription';

const batch = (position: Position): EventBatch => ({ events: [], position });

/** Waits as a live engine does, until the subscription is closed. */
const live = (signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

describe('a subscription whose engine fails', () => {
  it('resumes after the last handled batch', async () => {
    const starts: Position[] = [];
    const handled: Position[] = [];
    const subscription = runSubscription(
      {
        head: () => Promise.resolve('4'),
        async *batches(after, signal) {
          starts.push(after);
          if (starts.length === 1) {
            yield batch('1');
            yield batch('2');
          }
          if (starts.length <= 3) throw new Error('The engine is unavailable.');
          yield batch('3');
          yield batch('4');
          await live(signal);
        },
      },
      {
        after: '0',
        handle: async ({ position }) => {
          await Promise.resolve();
          handled.push(position);
        },
      },
    );
    await subscription.caughtUp;
    expect(starts).toEqual(['0', '2', '2', '2']);
    expect(handled).toEqual(['1', '2', '3', '4']);
    await subscription.close();
    await subscription.stopped;
  });

  it('catches up though the head could not be read at first', async () => {
    let asked = 0;
    const subscription = runSubscription(
      {
        head: () => ((asked += 1) < 3 ? Promise.reject(new Error('The engine is unavailable.')) : Promise.resolve('1')),
        async *batches(_after, signal) {
          yield batch('1');
          await live(signal);
        },
      },
      { after: '', handle: () => Promise.resolve() },
    );
    await subscription.caughtUp;
    expect(asked).toBe(3);
    await subscription.close();
  });

  it('can be closed while the engine is unavailable', async () => {
    const subscription = runSubscription(
      {
        head: () => Promise.reject(new Error('The engine is unavailable.')),
        batches: () => ({
          [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('The engine is unavailable.')) }),
        }),
      },
      { after: '', handle: () => Promise.resolve() },
    );
    await subscription.close();
    await subscription.stopped;
  });

  it('stops for a handler that throws before it answers a promise', async () => {
    const refusal = new Error('refused');
    const subscription = runSubscription(
      {
        head: () => Promise.resolve('1'),
        async *batches() {
          await Promise.resolve();
          yield batch('1');
        },
      },
      {
        after: '',
        handle: () => {
          throw refusal;
        },
      },
    );
    expect(await failure(subscription.stopped)).toBe(refusal);
    expect(subscription.position).toBe('');
  });
});
