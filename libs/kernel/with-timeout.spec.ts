import { TimeoutError, withTimeout } from './with-timeout';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const never = new Promise<never>(() => undefined);

it('settles as the work does, and leaves no timer', async () => {
  await expect(withTimeout(Promise.resolve('done'), 1_000)).resolves.toBe('done');
  await expect(withTimeout(Promise.reject(new RangeError('no')), 1_000)).rejects.toThrow(RangeError);
  expect(jest.getTimerCount()).toBe(0);
});

it('rejects once the time has passed, not before', async () => {
  let outcome: unknown;
  void withTimeout(never, 1_000).catch((error: unknown) => (outcome = error));
  await jest.advanceTimersByTimeAsync(999);
  expect(outcome).toBeUndefined();
  await jest.advanceTimersByTimeAsync(1);
  expect(outcome).toBeInstanceOf(TimeoutError);
  expect(outcome).toMatchObject({ message: 'No answer within 1000 ms.' });
});

it('rejects with the error that is given, made only when it is needed', async () => {
  const timeoutError = jest.fn(() => new RangeError('late'));
  const rejected = expect(withTimeout(never, 1_000, timeoutError)).rejects.toThrow('late');
  expect(timeoutError).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1_000);
  await rejected;
});

it('ignores what the work rejects with later', async () => {
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<never>((_, reject) => (fail = reject));
  const rejected = expect(withTimeout(work, 1_000)).rejects.toThrow(TimeoutError);
  await jest.advanceTimersByTimeAsync(1_000);
  await rejected;
  fail(new Error('too late'));
  await jest.advanceTimersByTimeAsync(0);
});
