import { waitForEngine, type EngineWaitFacts } from './engine-wait';

const told: [string, EngineWaitFacts][] = [];
const warn = (...line: [string, EngineWaitFacts]): void => void told.push(line);
const engine = { engine: 'NATS', address: 'nats:4222', warn };

beforeEach(() => told.splice(0));

it('returns what an attempt finds, and reports nothing when the first succeeds', async () => {
  await expect(waitForEngine(engine, () => Promise.resolve('found'))).resolves.toBe('found');
  expect(told).toEqual([]);
});

it('reports the first failure immediately and each other reason once, and repeats the attempt', async () => {
  const reasons = ['ENOTFOUND', 'ENOTFOUND', 'no rights'];
  const found = await waitForEngine(engine, () => {
    const reason = reasons.shift();
    return reason === undefined ? Promise.resolve('found') : Promise.reject(new Error(reason));
  });
  expect(found).toBe('found');
  expect(told).toEqual([
    ['Waiting for NATS', { address: 'nats:4222', reason: 'ENOTFOUND' }],
    ['Waiting for NATS', { address: 'nats:4222', reason: 'no rights' }],
  ]);
});

it.each([
  ['with what it noted', (note: (reason: unknown) => void) => note(new Error('no primary')), 'no primary'],
  ['that noted nothing', () => undefined, 'no response yet'],
])('reports an attempt %s before it ends', async (_, begin, reason) => {
  let end: () => void = () => undefined;
  const reported = new Promise<void>((resolve) => (end = resolve));
  const report = (...line: [string, EngineWaitFacts]): void => {
    warn(...line);
    end();
  };
  await waitForEngine({ ...engine, warn: report }, (note) => {
    begin(note);
    return reported;
  });
  expect(told).toEqual([['Waiting for NATS', { address: 'nats:4222', reason }]]);
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
  expect(told).toEqual([]);
});
