import { recordingLogger } from '@sluice/testing';
import { waitForEngine } from './engine-wait';

const logger = recordingLogger();
const engine = { engine: 'NATS', address: 'nats:4222', logger };
const waiting = (reason: string) => ({
  ...{ level: 'warn', message: 'Waiting for NATS' },
  fields: { address: 'nats:4222', reason },
});

beforeEach(() => {
  jest.useFakeTimers();
  logger.lines.length = 0;
});
afterEach(() => jest.useRealTimers());

it('returns what an attempt finds, and logs nothing when the first succeeds', async () => {
  await expect(waitForEngine(engine, () => Promise.resolve('found'))).resolves.toBe('found');
  expect(logger.lines).toEqual([]);
});

it('warns of the first failure immediately and of each other reason once, and repeats the attempt', async () => {
  const reasons = ['ENOTFOUND', 'ENOTFOUND', 'no rights'];
  const found = waitForEngine(engine, () => {
    const reason = reasons.shift();
    return reason === undefined ? Promise.resolve('found') : Promise.reject(new Error(reason));
  });
  await jest.runAllTimersAsync();
  await expect(found).resolves.toBe('found');
  expect(logger.lines).toEqual([waiting('ENOTFOUND'), waiting('no rights')]);
});

it.each([
  ['with what it noted', (note: (reason: unknown) => void) => note(new Error('no primary')), 'no primary'],
  ['that noted nothing', () => undefined, 'no response yet'],
])('warns of an attempt %s before it ends', async (_, begin, reason) => {
  let end: () => void = () => undefined;
  const warned = new Promise<void>((resolve) => (end = resolve));
  const signalling = recordingLogger(() => end());
  const found = waitForEngine({ ...engine, logger: signalling }, (note) => {
    begin(note);
    return warned;
  });
  await jest.runAllTimersAsync();
  await found;
  expect(signalling.lines).toEqual([waiting(reason)]);
});

it('rejects with the last error once the patience is over', async () => {
  await expect(
    waitForEngine({ ...engine, patienceMs: 0 }, () => Promise.reject(new Error('ENOTFOUND'))),
  ).rejects.toThrow('ENOTFOUND');
});

it('does not repeat an attempt that no wait would change', async () => {
  const attempt = jest.fn(() => Promise.reject(new RangeError('rejected')));
  const isFinal = (error: unknown): boolean => error instanceof RangeError;
  await expect(waitForEngine({ ...engine, isFinal }, attempt)).rejects.toThrow('rejected');
  expect(attempt).toHaveBeenCalledTimes(1);
  expect(logger.lines).toEqual([]);
});
