import { UnavailableError } from '@sluice/kernel';
import { recordingLogger } from '@sluice/testing';
import { PeriodicTask, type PeriodicTaskOptions } from './periodic-task';

const run = jest.fn(() => Promise.resolve());
const logger = recordingLogger();
let task: PeriodicTask;

const taskOf = (options: Partial<PeriodicTaskOptions> = {}): PeriodicTask =>
  (task = new PeriodicTask({ everyMs: () => 1_000, run, fault: 'It failed', logger, ...options }));

/** Makes the next run wait until it is released. */
const hold = (): (() => void) => {
  let letGo: () => void = () => undefined;
  run.mockReturnValueOnce(new Promise((resolve) => (letGo = resolve)));
  return () => letGo();
};

beforeEach(() => {
  jest.useFakeTimers();
  run.mockReset().mockResolvedValue();
  logger.lines.length = 0;
});

afterEach(async () => {
  await task.stop();
  jest.useRealTimers();
});

describe('PeriodicTask', () => {
  it('runs again after each pause, counted from the end of a run', async () => {
    taskOf().start();
    await jest.advanceTimersByTimeAsync(999);
    expect(run).toHaveBeenCalledTimes(0);
    const letGo = hold();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(run).toHaveBeenCalledTimes(1);
    letGo();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('begins after its own first pause', async () => {
    taskOf({ firstAfterMs: 0 }).start();
    await jest.advanceTimersByTimeAsync(0);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it.each([
    [0, 750],
    [0.5, 1_000],
    [1, 1_250],
  ])('varies a fixed pause by up to a quarter (random %p)', async (random, ms) => {
    jest.spyOn(Math, 'random').mockReturnValue(random);
    taskOf({ everyMs: 1_000 }).start();
    await jest.advanceTimersByTimeAsync(ms - 1);
    expect(run).toHaveBeenCalledTimes(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(run).toHaveBeenCalledTimes(1);
    jest.restoreAllMocks();
  });

  it('runs immediately when it is woken, and once more when it was woken during a run', async () => {
    taskOf().start();
    const letGo = hold();
    task.wake();
    await jest.advanceTimersByTimeAsync(0);
    expect(run).toHaveBeenCalledTimes(1);
    task.wake();
    task.wake();
    letGo();
    await jest.advanceTimersByTimeAsync(0);
    expect(run).toHaveBeenCalledTimes(2);
    await jest.advanceTimersByTimeAsync(999);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('stops immediately during a pause, and at the end of a run', async () => {
    taskOf().start();
    await task.stop();
    expect(task.signal.aborted).toBe(true);

    taskOf({ firstAfterMs: 0 }).start();
    const letGo = hold();
    await jest.advanceTimersByTimeAsync(0);
    let stopped = false;
    const stopping = task.stop().then(() => (stopped = true));
    await jest.advanceTimersByTimeAsync(10_000);
    expect([stopped, task.signal.aborted]).toEqual([false, true]);
    letGo();
    await stopping;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('runs on request, one run at a time, also after the stop', async () => {
    taskOf().start();
    const letGo = hold();
    const runs = [task.runNow(), task.runNow()];
    await jest.advanceTimersByTimeAsync(0);
    expect(run).toHaveBeenCalledTimes(1);
    letGo();
    await Promise.all(runs);
    expect(run).toHaveBeenCalledTimes(2);
    await task.stop();
    await task.runNow();
    expect(run).toHaveBeenCalledTimes(3);
  });

  it('continues after a fault, and logs it once until it changes or a run succeeds', async () => {
    const [first, second] = [new Error('first'), new Error('second')];
    taskOf().start();
    run.mockRejectedValueOnce(first).mockRejectedValueOnce(first).mockRejectedValueOnce(second);
    await jest.advanceTimersByTimeAsync(4_000);
    run.mockRejectedValueOnce(second);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(run).toHaveBeenCalledTimes(5);
    expect(logger.lines).toEqual(
      [first, second, second].map((err) => ({ level: 'error', message: 'It failed', fields: { err } })),
    );
  });

  it('does not log a run that fails because of the stop', async () => {
    taskOf({ firstAfterMs: 0 }).start();
    run.mockImplementationOnce(
      () => new Promise((_, reject) => task.signal.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    await jest.advanceTimersByTimeAsync(0);
    await task.stop();
    expect(logger.lines).toEqual([]);
    run.mockRejectedValueOnce(new Error('lost'));
    await task.runNow();
    expect(logger.lines).toHaveLength(1);
  });

  it('logs an unavailable engine without a stack', async () => {
    run.mockRejectedValueOnce(new UnavailableError('The store is unavailable.'));
    await taskOf().runNow();
    expect(logger.lines).toEqual([{ level: 'warn', message: 'It failed. The store is unavailable.', fields: {} }]);
  });
});
