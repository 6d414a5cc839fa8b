import type { Readiness } from '@sluice/http';
import type { EngineHealth } from './engine-health';
import type { RunningService } from './service';

/**
 * A process is ready once each of its services has started and caught up. An unavailable engine does not change that,
 * because every process lacks it alike and this process still sends clients a well-formed error. Only a process that no
 * engine responds to is not ready, except for services that serve from memory.
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
