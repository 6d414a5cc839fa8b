import { metrics } from '@sluice/telemetry';
import { recordingLogger } from '@sluice/testing';
import { EngineHealth } from './engine-health';

const NOON = new Date('2026-01-01T12:00:00.000Z');

afterEach(() => {
  jest.useRealTimers();
});

it('lists the unresponsive engines and since when, and logs each change once', async () => {
  jest.useFakeTimers({ now: NOON });
  let away = true;
  const logger = recordingLogger();
  const probes = {
    bus: () => Promise.resolve(),
    'event-store': () => (away ? Promise.reject(new Error('away')) : Promise.resolve()),
  };
  const health = new EngineHealth(probes, logger);
  expect(health.away).toEqual([]);
  await health.probe();
  await jest.advanceTimersByTimeAsync(60_000);
  await health.probe();
  expect(health.away).toEqual([{ engine: 'event-store', since: NOON.toISOString() }]);
  expect(health.cutOff).toBe(false);
  expect(await metrics.metrics()).toMatch(/^sluice_engine_up\{engine="event-store"\} 0$/m);
  away = false;
  await health.probe();
  expect(health.away).toEqual([]);
  expect(await metrics.metrics()).toMatch(/^sluice_engine_up\{engine="event-store"\} 1$/m);
  expect(logger.messages).toEqual([expect.stringContaining('event-store'), 'The event-store responds again']);
});

it('logs the reason of a fault, also of a delayed one, and keeps it while the engine is silent', async () => {
  jest.useFakeTimers({ now: NOON });
  const logger = recordingLogger();
  const refusal = (reason: string) => Object.assign(new Error('Fix it.'), { reason });
  let probe: () => Promise<unknown> = () => Promise.reject(refusal('wrong_credentials'));
  const health = new EngineHealth({ 'event-store': () => probe() }, logger);
  await health.probe();
  await health.probe();
  expect(health.away).toEqual([{ engine: 'event-store', since: NOON.toISOString(), reason: 'wrong_credentials' }]);

  let refuse: (error: Error) => void = () => undefined;
  probe = () => new Promise((_, reject) => (refuse = reject));
  const probed = health.probe();
  await jest.advanceTimersByTimeAsync(1_500);
  await probed;
  expect(health.away).toMatchObject([{ reason: 'wrong_credentials' }]);
  refuse(refusal('no_leader'));
  await jest.advanceTimersByTimeAsync(0);
  expect(health.away).toEqual([{ engine: 'event-store', since: NOON.toISOString(), reason: 'no_leader' }]);
  probe = () => Promise.resolve();
  await health.probe();
  expect(logger.messages).toEqual([
    "The event-store can't be used (wrong_credentials). Fix it. Requests that need it are rejected until then",
    "The event-store can't be used (no_leader). Fix it. Requests that need it are rejected until then",
    'The event-store responds again',
  ]);
});

it('does not log the message of an error without a reason, because it may contain an address', async () => {
  const logger = recordingLogger();
  const health = new EngineHealth({ bus: () => Promise.reject(new Error('nats://u:s3cret@a')) }, logger);
  await health.probe();
  expect(logger.messages).toEqual([expect.not.stringContaining('s3cret')]);
});

it('reports a silent engine as away, and the process as cut off when all are silent', async () => {
  jest.useFakeTimers();
  const health = new EngineHealth({ bus: () => new Promise(() => undefined) });
  const probed = health.probe();
  await jest.advanceTimersByTimeAsync(1_500);
  await probed;
  expect(health.away).toMatchObject([{ engine: 'bus' }]);
  expect(health.cutOff).toBe(true);
});

it('reports an engine as available when a delayed response arrives, before the next probe', async () => {
  jest.useFakeTimers();
  let answer: () => void = () => undefined;
  const health = new EngineHealth({ bus: () => new Promise<void>((resolve) => (answer = resolve)) });
  const probed = health.probe();
  await jest.advanceTimersByTimeAsync(1_500);
  await probed;
  expect(health.away).toMatchObject([{ engine: 'bus' }]);
  answer();
  await jest.advanceTimersByTimeAsync(0);
  expect(health.away).toEqual([]);
});

it('probes at its start and every five seconds until its stop', async () => {
  jest.useFakeTimers();
  const probe = jest.fn(() => Promise.resolve());
  const health = new EngineHealth({ bus: probe });
  health.start();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(probe).toHaveBeenCalledTimes(3);
  health.stop();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(probe).toHaveBeenCalledTimes(3);
});
