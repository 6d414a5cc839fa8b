import { EngineHealth } from './engine-health';

afterEach(() => {
  jest.useRealTimers();
});

it('names the engines that do not answer, until they do again', async () => {
  let away = true;
  const health = new EngineHealth({
    bus: () => Promise.resolve(),
    'event-store': () => (away ? Promise.reject(new Error('away')) : Promise.resolve()),
  });
  expect(health.degraded).toEqual([]);
  await health.probe();
  expect(health.degraded).toEqual(['event-store']);
  away = false;
  await health.probe();
  expect(health.degraded).toEqual([]);
});

it('takes a long silence as away', async () => {
  jest.useFakeTimers();
  const health = new EngineHealth({ bus: () => new Promise(() => undefined) });
  const probed = health.probe();
  await jest.advanceTimersByTimeAsync(1_500);
  await probed;
  expect(health.degraded).toEqual(['bus']);
});

it('looks every five seconds, from its start to its stop', async () => {
  jest.useFakeTimers();
  const probe = jest.fn(() => Promise.resolve());
  const health = new EngineHealth({ bus: probe });
  health.start();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(probe).toHaveBeenCalledTimes(2);
  health.stop();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(probe).toHaveBeenCalledTimes(2);
});
