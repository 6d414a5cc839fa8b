import { replicaNames, type Diagnostics, type ServiceFacts, type Upgrade } from '@sluice/contracts';
import { coerce, lt } from 'semver';
import { formatBytes } from './output';

/** One line of `sluice doctor`. */
export interface Check {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'error';
  readonly message: string;
  /** What to do about it; null when all is well. */
  readonly remedy: string | null;
}

export const ok = (check: string, message: string): Check => ({ check, status: 'ok', message, remedy: null });
export const warning = (check: string, message: string, remedy: string): Check => ({
  ...{ check, status: 'warning', message, remedy },
});
export const fault = (check: string, message: string, remedy: string): Check => ({
  ...{ check, status: 'error', message, remedy },
});

const SKEW_WARNING_MS = 5_000;
const SKEW_ERROR_MS = 300_000;
const MIB = 1_048_576;
/** Fewer requests say nothing about who makes most of them. */
const ENOUGH_REQUESTS = 100;

/** How far a clock may be from this machine's. `subject` reads as in "the server's". */
export function checkClock(subject: string, theirs: Date, ours: Date): Check {
  const skew = theirs.getTime() - ours.getTime();
  const said = `${subject} clock is ${Math.abs(skew / 1_000).toFixed(0)} s ${skew < 0 ? 'behind' : 'ahead of'} this machine's.`;
  const remedy = 'Synchronise both machines with a time server (NTP): expiry and download URLs depend on the clock.';
  if (Math.abs(skew) >= SKEW_ERROR_MS) return fault('clock', said, remedy);
  if (Math.abs(skew) >= SKEW_WARNING_MS) return warning('clock', said, remedy);
  return ok('clock', `${subject} clock agrees with this machine's.`);
}

/** Whether what travels to the address can be read on the way. */
export function checkTransport(address: string): Check {
  if (address.startsWith('https:')) return ok('transport', `${address} is encrypted.`);
  if (isLoopback(address)) return ok('transport', `${address} does not leave this machine.`);
  return warning(
    'transport',
    `${address} does not use TLS: tokens and keys are sent unencrypted.`,
    'Put a TLS proxy in front of the server, and set PUBLIC_URL to its https address.',
  );
}

/** Judges what the services said of themselves. `address` is the one that was asked. */
export function checkServices({ services }: Diagnostics, address: string, cliVersion: string): Check[] {
  const answering = services.flatMap(({ facts }) => facts ?? []);
  const gateway = answering.find(({ service }) => service === 'gateway');
  return [
    ...services.map(({ service, facts }) =>
      facts === null
        ? fault(
            'services',
            `${service} does not respond.`,
            `Check that ${service} runs and reaches the bus, and read its log.`,
          )
        : ok('services', `${service} responds, up for ${facts.uptime_seconds} s.`),
    ),
    ...checkVersions(answering, cliVersion),
    ...(gateway === undefined ? [] : [checkPublicUrl(gateway.public_url, address)]),
    ...answering.flatMap(checkEngines),
    ...checkIndexes(answering),
    ...answering.flatMap(checkProjections),
    ...checkMasterKey(answering),
    ...answering.filter(({ service }) => service === 'device-updates').flatMap(checkDownloads),
    ...answering.flatMap(checkStatements),
    ...answering.flatMap(checkDisk).slice(0, 1),
    ...answering.flatMap(checkDataFolder).slice(0, 1),
    ...checkTraffic(answering),
  ];
}

export function checkUpgrade({ format, known_format: known, finished, blocked_by: blocking }: Upgrade): Check[] {
  if (finished) return [];
  const said = `The upgrade is not finished: the installation has format ${format}, this release supports ${known}.`;
  const first = blocking.length === 0 ? '' : `Replace with this release, or stop: ${replicaNames(blocking)}. Then run`;
  return [warning('upgrade', said, `${first || 'Run'}: sluice upgrade finish`)];
}

function checkVersions(services: readonly ServiceFacts[], cliVersion: string): Check[] {
  const other = services.filter(({ version }) => version !== cliVersion);
  const nodes = [...new Set(services.map(({ node }) => node))];
  const release =
    other.length === 0
      ? ok('version', `Every service and this CLI run release ${cliVersion}.`)
      : warning(
          'version',
          `This CLI is release ${cliVersion}; ${other.map(({ service, version }) => `${service} is ${version}`).join(', ')}.`,
          'Upgrade all of them to the newer release.',
        );
  const runtime =
    nodes.length <= 1
      ? ok('node', `Node ${nodes.join()}.`)
      : warning('node', `The services run on Node ${nodes.join(' and ')}.`, 'Run all of them on one version.');
  return [release, runtime];
}

function checkPublicUrl(publicUrl: string, address: string): Check {
  if (publicUrl === address) return ok('public url', `PUBLIC_URL is ${publicUrl}, the URL of this check.`);
  const remedy = 'Set PUBLIC_URL to the address that clients and devices use.';
  if (isLoopback(publicUrl) && !isLoopback(address)) {
    return fault('public url', `PUBLIC_URL is ${publicUrl}, which is not reachable from other machines.`, remedy);
  }
  if (isLoopback(address) && !isLoopback(publicUrl)) {
    return ok('public url', `PUBLIC_URL is ${publicUrl}. This check used ${address}.`);
  }
  return warning('public url', `PUBLIC_URL is ${publicUrl}, but this check used ${address}.`, remedy);
}

/** The oldest that the adapters were tested against. */
const TESTED: Readonly<Record<string, string>> = {
  NATS: '2.9.0',
  EventStoreDB: '23.10.0',
  MongoDB: '7.0.0',
  FerretDB: '1.24.0',
};

function checkEngineVersion(service: string, engine: string, product: string | null): Check[] {
  const [name = '', told = ''] = product?.split(' ') ?? [];
  const [version, tested] = [coerce(told), TESTED[name]];
  if (version === null || tested === undefined || !lt(version, tested)) return [];
  const said = `${service} has ${name} ${told} as its ${engine}: releases before ${tested} were not tested.`;
  return [warning('engines', said, `Upgrade ${name} to ${tested} or later.`)];
}

function checkEngines({ service, engines }: ServiceFacts): Check[] {
  const away = engines.filter((engine) => engine.fault !== null);
  const old = engines.flatMap(({ name, product }) => checkEngineVersion(service, name, product));
  if (old.length > 0 && away.length === 0) return old;
  if (away.length === 0) {
    const reached = engines.map(
      ({ name, kind, product }) => `${name} (${product === null ? kind : `${kind}, ${product}`})`,
    );
    return [ok('engines', `${service} reaches ${reached.join(', ')}.`)];
  }
  return away.map(({ name, kind, fault: why }) =>
    fault(
      'engines',
      `${service} can't use its ${name} (${kind}): ${String(why)}.`,
      name === 'object store'
        ? 'Check that the folder or bucket of OBJECT_STORE_URL exists, is writable and is not full.'
        : `Check that the ${name} runs, is reachable and has free space, and read the log of ${service}.`,
    ),
  );
}

/** They are kept up with every write, and nothing asks by them; who made them, Sluice can't know. */
function checkIndexes(services: readonly ServiceFacts[]): Check[] {
  const engines = services.flatMap((service) => service.engines);
  const names = new Set(engines.flatMap(({ undeclared_indexes: undeclared }) => undeclared ?? []));
  return [...names].map((name) => {
    const [collection = '', ...rest] = name.split('.');
    const command = `db.${collection}.dropIndex(${JSON.stringify(rest.join('.'))})`;
    const remedy = `Once every replica runs this release, and if you did not create the index: ${command} in the state database.`;
    return warning('indexes', `This release does not use the index ${name}, which slows down writes.`, remedy);
  });
}

function checkProjections({ service, projections }: ServiceFacts): Check[] {
  const faults = projections.flatMap(({ name, caught_up: caughtUp, stopped }) => {
    if (stopped !== null) {
      const remedy = `Fix the cause. If the read model itself is wrong: sluice projections rebuild ${name}`;
      return [fault('projections', `${name} of ${service} has stopped: ${stopped}`, remedy)];
    }
    if (caughtUp) return [];
    return [warning('projections', `${name} of ${service} is behind the events.`, 'Wait, then run this again.')];
  });
  if (faults.length > 0 || projections.length === 0) return faults;
  return [ok('projections', `${projections.map(({ name }) => name).join(', ')} of ${service} are running.`)];
}

function checkMasterKey(services: readonly ServiceFacts[]): Check[] {
  if (services.length === 0) return [];
  const sealed = Math.max(...services.map(({ master_key: key }) => key.sealed_otherwise ?? 0));
  const previous = services.filter(({ master_key: key }) => key.previous_set).map(({ service }) => service);
  if (sealed > 0) {
    return [
      warning(
        'master key',
        `${sealed} secrets are encrypted with another key, or in the format of an earlier release.`,
        'Run: sluice secrets reseal',
      ),
    ];
  }
  if (previous.length > 0) {
    const said = `MASTER_KEY_PREVIOUS or SEAL_KEYS_PREVIOUS is set, but no secret needs it (${previous.join(', ')}).`;
    return [warning('master key', said, 'Restart without MASTER_KEY_PREVIOUS and SEAL_KEYS_PREVIOUS.')];
  }
  return [ok('master key', 'Every secret is encrypted with the current master key.')];
}

function checkDownloads({ downloads, public_url: publicUrl }: ServiceFacts): Check[] {
  const address = downloads?.store_address ?? null;
  if (address === null) return [];
  const remedy = 'Set OBJECT_STORE_PUBLIC_URL to the https address at which devices reach the object store.';
  if (isLoopback(address) && !isLoopback(publicUrl)) {
    return [
      fault('downloads', `Downloads are redirected to ${address}, which is not reachable from other machines.`, remedy),
    ];
  }
  if (publicUrl.startsWith('https:') && !address.startsWith('https:')) {
    return [
      warning('downloads', `Downloads are redirected from ${publicUrl} to ${address}, which does not use TLS.`, remedy),
    ];
  }
  return [ok('downloads', `Downloads are redirected to ${address}.`)];
}

function checkStatements({ service, signed_statements: statements }: ServiceFacts): Check[] {
  if (statements === undefined) return [];
  const { missing, earliest_expiry: expiry, overdue } = statements;
  const remedy = `Check that keys runs, and read the log of ${service}. Devices that verify manifests wait for them.`;
  const faults = [
    ...(missing > 0
      ? [warning('manifests', `${missing} manifests and channel states are not signed.`, `Run this again. ${remedy}`)]
      : []),
    ...(overdue ? [warning('manifests', `Renewal is overdue: the first expires at ${String(expiry)}.`, remedy)] : []),
  ];
  if (faults.length > 0 || expiry === null) return faults;
  return [ok('manifests', `Every manifest and channel state is signed; the first expires at ${expiry}.`)];
}

function checkDisk({ service, disk }: ServiceFacts): Check[] {
  return disk === null ? [] : [checkFreeSpace(`DATA_DIR of ${service}`, disk)];
}

function checkDataFolder({ service, data_dir_mode: mode }: ServiceFacts): Check[] {
  if (mode === null || mode === undefined) return [];
  if (mode.endsWith('00')) return [ok('data folder', `Only its owner can read DATA_DIR of ${service} (${mode}).`)];
  const said = `Other users of the machine can access DATA_DIR of ${service} (${mode}).`;
  const remedy = 'Run chmod 700 on it as its owner, unless the volume is intentionally shared with a group.';
  return [warning('data folder', said, remedy)];
}

/** `subject` reads as in "DATA_DIR has 12 GB free". */
export function checkFreeSpace(
  subject: string,
  { free, total }: { readonly free: number; readonly total: number },
): Check {
  const said = `${subject} has ${formatBytes(free)} of ${formatBytes(total)} free.`;
  const remedy = 'Free some space or use a larger disk. When the disk is full, every change is rejected.';
  if (free < 256 * MIB) return fault('disk', said, remedy);
  if (free < 1_024 * MIB || free < total / 20) return warning('disk', said, remedy);
  return ok('disk', said);
}

function checkTraffic(services: readonly ServiceFacts[]): Check[] {
  const suspects = services.flatMap(({ trusted_proxies: trusted, traffic }) => {
    if (trusted || traffic === null || traffic.requests < ENOUGH_REQUESTS || traffic.busiest_share <= 0.5) return [];
    const address = traffic.busiest_address ?? '';
    const proxied = traffic.forwarded_share > 0.5 || !isLoopbackHost(address);
    return proxied ? [{ address, share: traffic.busiest_share }] : [];
  });
  const [suspect] = suspects.sort((a, b) => b.share - a.share);
  if (suspect === undefined) return [ok('proxies', 'Clients are distinguished by their addresses.')];
  return [
    warning(
      'proxies',
      `${Math.round(suspect.share * 100)}% of the requests come from ${suspect.address}, and TRUSTED_PROXIES is not set.`,
      `If that is a proxy, set TRUSTED_PROXIES to its address. Until then, all its clients share one rate limit.`,
    ),
  ];
}

function isLoopback(address: string): boolean {
  return isLoopbackHost(new URL(address).hostname);
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(host) || host === '::1' || host === '[::1]';
}
