/** The texts of the health checks. */
import { counted } from './shared';

export const loading = 'the health of the services';
export const health = 'Health';
export const healthy = 'Healthy';
export const allHealthy = 'All services, their storage and the message bus respond.';
export const services = 'Services';
export const allServices = 'All services';
export const responds = 'Running';
export const noResponse = 'No response';
export const release = 'Sluice version';
export const node = 'Node';
export const uptime = 'Running for';
export const disk = 'Disk';
export const free = (room: string, total: string): string => `${room} of ${total} free`;
export const up = 'Running';
export const unavailable = 'Unavailable';
export const readModel = (model: string): string => `read model ${model}`;
export const seconds = (count: number): string => counted(count, 'second', 'seconds');
export const minutes = (count: number): string => counted(count, 'minute', 'minutes');
export const hours = (count: number): string => counted(count, 'hour', 'hours');
export const days = (count: number): string => counted(count, 'day', 'days');

export const engines = 'Engines';
export const readModels = 'Read models';
export const clock = 'Clock';
export const masterKey = 'Master key';
export const dataFolder = 'Data folder';
export const proxies = 'Proxies';

export const serviceSilent = (service: string): string => `${service} does not respond.`;
export const checkService = (service: string): string =>
  `Check that ${service} is running and reaches the bus, and read its log.`;
export const engineFault = (service: string, engine: string, kind: string, fault: string): string =>
  `${service} can’t use its ${engine} (${kind}): ${fault}`;
export const checkEngine = (service: string, engine: string): string =>
  `Check that the ${engine} is running, reachable and has free space. Its setting and the log of ${service} have details.`;
export const modelStopped = (model: string, service: string, reason: string): string =>
  `${model} of ${service} has stopped: ${reason}`;
export const rebuildModel =
  'Fix the reported error. If the data of the read model is wrong, rebuild it under “Read models”.';
export const modelBehind = (model: string, service: string): string => `${model} of ${service} is behind the events.`;
export const waitForModel = 'Wait until it has caught up.';
export const isRelease = (service: string, version: string): string => `${service} runs ${version}`;
export const releases = (each: readonly string[]): string =>
  `The services run different versions of Sluice: ${each.join(', ')}.`;
export const upgradeAll = 'Upgrade all services to the newest version.';
export const clockSkew = (service: string, skewSeconds: number): string =>
  `The clock of ${service} is ${counted(Math.abs(skewSeconds), 'second', 'seconds')} ${skewSeconds < 0 ? 'behind' : 'ahead of'} the clock of the gateway.`;
export const synchronizeClocks =
  'Synchronize both clocks with a time server. Expiry times and download URLs depend on them.';
export const otherSeals = (count: number): string =>
  `${counted(count, 'secret is', 'secrets are')} encrypted with another master key, or in the format of an earlier release.`;
export const reseal = 'To encrypt them with the current master key, run: sluice secrets reseal';
export const unneededKey = 'MASTER_KEY_PREVIOUS or SEAL_KEYS_PREVIOUS is set, and no secret needs it.';
export const removeKey = 'Restart without MASTER_KEY_PREVIOUS and SEAL_KEYS_PREVIOUS.';
export const openFolder = (mode: string): string =>
  `Other users of the machine can read the data folder (mode ${mode}).`;
export const closeFolder =
  'Run chmod 700 on it as the user that owns it. Ignore this if a group needs access, for example with fsGroup on Kubernetes.';
export const diskRoom = (room: string, total: string): string => `The data folder has ${room} of ${total} free.`;
export const freeDisk = 'Free some space or use a larger disk. When the disk is full, the server rejects every change.';
export const oneAddress = (percent: number, address: string): string =>
  `${percent}% of the requests come from ${address}, and TRUSTED_PROXIES is not set.`;
export const trustProxy =
  'If that is a proxy, add it to TRUSTED_PROXIES. Until then, all its clients share one IP address and its rate limit.';
