import type { Diagnostics, ServiceFacts } from '@sluice/contracts';
import { size } from '../../parts/values';

/** One finding about the installation; `remedy` says what to do about it. */
export interface Finding {
  readonly what: string;
  readonly tone: 'warn' | 'bad';
  readonly says: string;
  readonly remedy: string;
}

const warning = (what: string, says: string, remedy: string): Finding => ({ what, tone: 'warn', says, remedy });
const failure = (what: string, says: string, remedy: string): Finding => ({ what, tone: 'bad', says, remedy });

const MIB = 1_048_576;
const SKEW_MS = 5_000;
/** Fewer requests say nothing about who makes most of them. */
const ENOUGH_REQUESTS = 100;

/** What is wrong with what the services said at the time `now`, worst first. Nothing: all is well. */
export function findingsOf({ services }: Diagnostics, now: number): Finding[] {
  const answering = services.flatMap(({ facts }) => facts ?? []);
  const findings = [
    ...services.flatMap(({ service, facts }) => (facts === null ? [away(service)] : [])),
    ...answering.flatMap(enginesAway),
    ...answering.flatMap(modelsBehind),
    ...versions(answering),
    ...clocks(answering, now),
    ...masterKey(answering),
    ...answering.flatMap(disk).slice(0, 1),
    ...answering.flatMap(dataFolder).slice(0, 1),
    ...proxies(answering),
  ];
  return findings.sort((a, b) => a.tone.localeCompare(b.tone));
}

const away = (service: string): Finding =>
  failure(
    'Services',
    `${service} does not answer.`,
    `See whether ${service} runs and reaches the bus, and what its log says.`,
  );

function enginesAway({ service, engines }: ServiceFacts): Finding[] {
  return engines.flatMap(({ name, kind, fault }) =>
    fault === null
      ? []
      : failure(
          'Engines',
          `${service} can’t use its ${name} (${kind}): ${fault}`,
          `See whether the ${name} runs, is reachable and has room. The setting and the log of ${service} say more.`,
        ),
  );
}

function modelsBehind({ service, projections }: ServiceFacts): Finding[] {
  return projections.flatMap(({ name, stopped, caught_up: caughtUp }): Finding[] => {
    if (stopped !== null) {
      return [
        failure(
          'Read models',
          `${name} of ${service} has stopped: ${stopped}`,
          'Fix the cause. If the read model itself is wrong, rebuild it under “Read models”.',
        ),
      ];
    }
    const says = `${name} of ${service} is behind the events.`;
    return caughtUp ? [] : [warning('Read models', says, 'Wait a little: it is catching up.')];
  });
}

function versions(services: readonly ServiceFacts[]): Finding[] {
  const releases = new Set(services.map(({ version }) => version));
  if (releases.size <= 1) return [];
  const told = services.map(({ service, version }) => `${service} is ${version}`).join(', ');
  return [warning('Release', `${told}.`, 'Bring all services to the newest release.')];
}

function clocks(services: readonly ServiceFacts[], now: number): Finding[] {
  return services.flatMap(({ service, time }): Finding[] => {
    const skew = Date.parse(time) - now;
    if (Math.abs(skew) < SKEW_MS) return [];
    const says = `The clock of ${service} is ${Math.round(Math.abs(skew) / 1_000)} s ${skew < 0 ? 'behind' : 'ahead of'} this machine’s.`;
    const remedy = 'Let both machines follow a time server: expiry and download addresses go by the clock.';
    return [warning('Clock', says, remedy)];
  });
}

function masterKey(services: readonly ServiceFacts[]): Finding[] {
  const sealed = Math.max(0, ...services.map(({ master_key: key }) => key.sealed_otherwise ?? 0));
  if (sealed > 0) {
    const says = `${sealed} secrets are sealed under another master key, or in the format of an earlier release.`;
    return [warning('Master key', says, 'Run: sluice secrets reseal')];
  }
  if (!services.some(({ master_key: key }) => key.previous_set)) return [];
  const says = 'MASTER_KEY_PREVIOUS or SEAL_KEYS_PREVIOUS is set, and nothing needs it any more.';
  return [warning('Master key', says, 'Restart without MASTER_KEY_PREVIOUS and SEAL_KEYS_PREVIOUS.')];
}

function dataFolder({ data_dir_mode: mode }: ServiceFacts): Finding[] {
  if (mode === null || mode === undefined || mode.endsWith('00')) return [];
  const says = `The data folder is open to other users of its machine (${mode}).`;
  const remedy = 'Run chmod 700 on it as its owner, unless a volume is shared with a group by intent.';
  return [warning('Data folder', says, remedy)];
}

function disk({ disk: room }: ServiceFacts): Finding[] {
  if (room === null) return [];
  const isFull = room.free < 256 * MIB;
  if (!isFull && room.free >= 1_024 * MIB && room.free >= room.total / 20) return [];
  return [
    {
      what: 'Disk',
      tone: isFull ? 'bad' : 'warn',
      says: `The data folder has ${size(room.free)} of ${size(room.total)} free.`,
      remedy: 'Free some space or use a larger disk. When the disk is full, every change is rejected.',
    },
  ];
}

function proxies(services: readonly ServiceFacts[]): Finding[] {
  const suspect = services.find(
    ({ trusted_proxies: trusted, traffic }) =>
      !trusted &&
      traffic !== null &&
      traffic.requests >= ENOUGH_REQUESTS &&
      traffic.busiest_share > 0.5 &&
      traffic.forwarded_share > 0.5,
  )?.traffic;
  if (suspect === undefined || suspect === null) return [];
  return [
    warning(
      'Proxies',
      `${Math.round(suspect.busiest_share * 100)} % of the requests come from ${suspect.busiest_address ?? ''}, and TRUSTED_PROXIES is not set.`,
      'If that is a proxy, set TRUSTED_PROXIES to it: until then all its clients share one address, and its limit.',
    ),
  ];
}
