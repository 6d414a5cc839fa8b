import { type EventBatch, type EventStore, START, type SubscribeOptions } from './port';
import { recordingLogger, type RecordingLogger } from '@sluice/testing';
import { followEvents, type Following, type FollowOptions } from './follow-events';

let subscribed: SubscribeOptions[];
let following: Following;
let caughtUp: () => void;
let logger: RecordingLogger;
let head: string;
const start = jest.fn(() => Promise.resolve(START));
const handle = jest.fn<Promise<void>, Parameters<FollowOptions['handle']>>();

/** An event store whose batches the test delivers. */
const events = {
  subscribe: (options: SubscribeOptions) => {
    subscribed.push(options);
    let stop: () => void = () => undefined;
    let fail: (error: unknown) => void = () => undefined;
    const stopped = new Promise<void>((resolve, reject) => ([stop, fail] = [resolve, reject]));
    const catchUp = new Promise<void>((resolve, reject) => {
      caughtUp = resolve;
      stopped.catch(reject);
    });
    const deliver = (batch: EventBatch) => options.handle(batch).catch(fail);
    Object.assign(options, { deliver });
    return {
      position: head,
      caughtUp: catchUp,
      stopped,
      close: () => {
        stop();
        return Promise.resolve();
      },
    };
  },
} as unknown as EventStore;

const deliver = async (position: string): Promise<void> => {
  const live = subscribed.at(-1) as SubscribeOptions & { deliver: (batch: EventBatch) => Promise<void> };
  await live.deliver({ events: [], position });
  await jest.advanceTimersByTimeAsync(0);
};

beforeEach(() => {
  jest.useFakeTimers();
  [subscribed, logger, head] = [[], recordingLogger(), '0001'];
  start.mockReset().mockResolvedValue(START);
  handle.mockReset().mockResolvedValue();
});

afterEach(async () => {
  await following.close();
  jest.useRealTimers();
});

const follow = async (): Promise<void> => {
  following = followEvents({
    ...{ events, start, handle, prefixes: ['app-'], subject: 'The index' },
    logger,
  });
  await jest.advanceTimersByTimeAsync(0);
};

describe('followEvents', () => {
  it('tries the start again with growing delays', async () => {
    start.mockRejectedValueOnce(new Error('away')).mockRejectedValueOnce(new Error('away'));
    await follow();
    await jest.advanceTimersByTimeAsync(100);
    expect(start).toHaveBeenCalledTimes(2);
    await jest.advanceTimersByTimeAsync(199);
    expect([start.mock.calls.length, following.fault]).toEqual([2, 'away']);
    await jest.advanceTimersByTimeAsync(1);
    await following.started;
    expect(subscribed.map(({ after, prefixes }) => ({ after, prefixes }))).toEqual([
      { after: START, prefixes: ['app-'] },
    ]);
    expect([logger.messages, following.fault]).toEqual([
      ['The index stopped: away', 'The index continues.'],
      undefined,
    ]);
  });

  it('subscribes again behind the last batch that was handled', async () => {
    await follow();
    await deliver('0001');
    handle.mockRejectedValueOnce(new Error('no memory'));
    await deliver('0002');
    expect(following.fault).toBe('no memory');
    await jest.advanceTimersByTimeAsync(100);
    await deliver('0002');
    expect(subscribed.map(({ after }) => after)).toEqual([START, '0001']);
    expect(handle.mock.calls.map(([{ position }]) => position)).toEqual(['0001', '0002', '0002']);
    expect(logger.messages).toEqual(['The index stopped: no memory', 'The index continues.']);
    expect(start).toHaveBeenCalledTimes(1);
  });

  it('begins with the shortest delay again once a part of a batch is handled', async () => {
    await follow();
    handle.mockRejectedValueOnce(new Error('no memory'));
    await deliver('0001');
    await jest.advanceTimersByTimeAsync(100);
    handle.mockImplementationOnce((_, __, progressed) => {
      progressed();
      return Promise.reject(new Error('no memory'));
    });
    await deliver('0001');
    await jest.advanceTimersByTimeAsync(100);
    expect(subscribed).toHaveLength(3);
    expect(logger.messages).toEqual([
      'The index stopped: no memory',
      'The index continues.',
      'The index stopped: no memory',
    ]);
  });

  it('has caught up once its subscription has', async () => {
    await follow();
    let done = false;
    void following.caughtUp.then(() => (done = true));
    await deliver('0001');
    expect(done).toBe(false);
    caughtUp();
    await following.caughtUp;
  });

  it('rejects who waits for it to catch up when a batch can not be handled before', async () => {
    await follow();
    handle.mockRejectedValueOnce(new Error('no memory'));
    await deliver('0001');
    await expect(following.caughtUp).rejects.toThrow('no memory');
  });

  it('ends in a pause immediately, and leaves no waiter', async () => {
    start.mockRejectedValue(new Error('away'));
    await follow();
    await following.close();
    await Promise.all([following.started, following.caughtUp]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect([start.mock.calls.length, subscribed]).toEqual([1, []]);
  });

  it('aborts the signal of the batch in hand', async () => {
    await follow();
    await deliver('0001');
    const stopping = handle.mock.calls[0]?.[1];
    expect(stopping?.aborted).toBe(false);
    await following.close();
    expect(stopping?.aborted).toBe(true);
  });
});
