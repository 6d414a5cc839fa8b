import type { Diagnostics, ServiceFacts } from '@sluice/contracts';
import { size } from '../../parts/values';
import * as texts from '../../texts/health';

/** One finding about the installation; `remedy` is what to do about it. */
export interface Finding {
  readonly what: string;
  readonly tone: 'warn' | 'bad';
  readonly message: string;
  readonly remedy: string;
}

const warning = (what: string, message: string, remedy: string): Finding => ({ what, tone: 'warn', message, remedy });
const failure = (what: string, message: string, remedy: string): Finding => ({ what, tone: 'bad', message, remedy });

const MIB = 1_048_576;
const SKEW_MS = 5_000;
/** With fewer requests, one busy client is normal. */
const ENOUGH_REQUESTS = 100;

/** The problems that the services reported at the time `now`, errors first. Empty if there is none. */
export function findingsOf({ services }: Diagnostics, now: number): Finding[] {
  const answering = services.flatMap(({ facts }) => facts ?? []);
  const findings = [
    ...services.flatMap(({ service, facts }) => (facts === null ? [unavailable(service)] : [])),
    ...answering.flatMap(unavailableEngines),
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

const unavailable = (service: string): Finding =>
  failure(texts.services, texts.serviceSilent(service), texts.checkService(service));

function unavailableEngines({ service, engines }: ServiceFacts): Finding[] {
  return engines.flatMap(({ name, kind, fault }) =>
    fault === null
      ? []
      : failure(texts.engines, texts.engineFault(service, name, kind, fault), texts.checkEngine(service, name)),
  );
}

function modelsBehind({ service, projections }: ServiceFacts): Finding[] {
  return projections.flatMap(({ name, stopped, caught_up: caughtUp }): Finding[] => {
    if (stopped !== null) {
      return [failure(texts.readModels, texts.modelStopped(name, service, stopped), texts.rebuildModel)];
    }
    return caughtUp ? [] : [warning(texts.readModels, texts.modelBehind(name, service), texts.waitForModel)];
  });
}

function versions(services: readonly ServiceFacts[]): Finding[] {
  const releases = new Set(services.map(({ version }) => version));
  if (releases.size <= 1) return [];
  const each = services.map(({ service, version }) => texts.isRelease(service, version));
  return [warning(texts.release, texts.releases(each), texts.upgradeAll)];
}

function clocks(services: readonly ServiceFacts[], now: number): Finding[] {
  return services.flatMap(({ service, time }): Finding[] => {
    const skew = Date.parse(time) - now;
    if (Math.abs(skew) < SKEW_MS) return [];
    return [warning(texts.clock, texts.clockSkew(service, Math.round(skew / 1_000)), texts.synchronizeClocks)];
  });
}

function masterKey(services: readonly ServiceFacts[]): Finding[] {
  const sealed = Math.max(0, ...services.map(({ master_key: key }) => key.sealed_otherwise ?? 0));
  if (sealed > 0) {
    return [warning(texts.masterKey, texts.otherSeals(sealed), texts.reseal)];
  }
  if (!services.some(({ master_key: key }) => key.previous_set)) return [];
  return [warning(texts.masterKey, texts.unneededKey, texts.removeKey)];
}

function dataFolder({ data_dir_mode: mode }: ServiceFacts): Finding[] {
  if (mode === null || mode === undefined || mode.endsWith('00')) return [];
  return [warning(texts.dataFolder, texts.openFolder(mode), texts.closeFolder)];
}

function disk({ disk: room }: ServiceFacts): Finding[] {
  if (room === null) return [];
  const isFull = room.free < 256 * MIB;
  if (!isFull && room.free >= 1_024 * MIB && room.free >= room.total / 20) return [];
  return [
    {
      what: texts.disk,
      tone: isFull ? 'bad' : 'warn',
      message: texts.diskRoom(size(room.free), size(room.total)),
      remedy: texts.freeDisk,
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
      texts.proxies,
      texts.oneAddress(Math.round(suspect.busiest_share * 100), suspect.busiest_address ?? ''),
      texts.trustProxy,
    ),
  ];
}
