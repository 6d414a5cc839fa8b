import { readinessOf } from './readiness';
import type { RunningService, ServiceReadiness } from './service';

const since = '2026-01-01T12:00:00.000Z';
const running = (name: string, readiness: ServiceReadiness): RunningService => ({
  ...{ name, readiness: () => readiness },
  stopping: () => undefined,
  stop: () => Promise.resolve(),
});
const all = { away: [], cutOff: false };

it.each<[string, ServiceReadiness, object]>([
  ['has started', { ready: true }, { ready: true, degraded: false }],
  ['catches up', { ready: false, catching_up: true }, { ready: false }],
  ['holds up events', { ready: true, degraded: ['access-events'] }, { ready: true, degraded: true }],
])('a process whose service %s', (_, state, expected) => {
  const answer = readinessOf(1, [running('keys', state)], all);
  expect(answer).toMatchObject(expected);
  expect(answer.parts).toEqual({ services: { keys: state } });
});

it('is not ready before all of its services have started', () => {
  expect(readinessOf(2, [running('keys', { ready: true })], all).ready).toBe(false);
  expect(readinessOf(1, [], all).ready).toBe(false);
});

it('stays ready while engines are unavailable, and lists them', () => {
  const away = [{ engine: 'read-store', since }];
  const answer = readinessOf(1, [running('gateway', { ready: true })], { away, cutOff: false });
  expect(answer).toEqual({
    ...{ ready: true, degraded: true },
    parts: { engines_away: away, services: { gateway: { ready: true } } },
  });
});

it('is not ready when no engine responds, except for services that serve from memory', () => {
  const health = { away: [{ engine: 'bus', since }], cutOff: true };
  expect(readinessOf(1, [running('gateway', { ready: true })], health).ready).toBe(false);
  const device = running('device-updates', { ready: true, fromMemory: true });
  expect(readinessOf(1, [device], health)).toMatchObject({ ready: true, degraded: true });
});
