import type { Readiness } from '@sluice/http';
import type { EngineHealth } from './engine-health';
import type { RunningService } from './service';

/**
 * Whether a process may be sent requests: once each of its services has started and caught up. An
 * engine that is away changes nothing about it: every process misses it alike, and it is from here
 * that a client gets a clean refusal. Only one that not a single engine answers takes itself out,
 * but for what it serves from memory.
 */
export function readinessOf(
  expected: number,
  running: readonly RunningService[],
  { away, cutOff }: Pick<EngineHealth, 'away' | 'cutOff'>,
): Readiness {
  const states = running.map((service) => {
    const { ready, fromMemory = false, ...detail } = service.readiness();
    return [service.name, { ready: ready && (fromMemory || !cutOff), ...detail }] as const;
  });
  return {
    ready: running.length === expected && states.every(([, { ready }]) => ready),
    degraded: away.length > 0 || states.some(([, { degraded }]) => degraded !== undefined),
    parts: { ...(away.length > 0 && { engines_away: away }), services: Object.fromEntries(states) },
  };
}
