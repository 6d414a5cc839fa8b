import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment } from '../support/deployment';
import { call, checkUpdate, sha256 } from '../support/http';
import type { Credentials } from './client';
import type { ContestedBuild } from './contest';
import type { Members } from './fact';
import { CHANNELS, offeredTo, type KnownApp, type Known, type Ledger } from './ledger';

/** A job without progress for this long will not end any more. */
const JOBS_WITHIN_MS = 60_000;
const POLL_MS = 50;
const ALL_AT_ONCE = 8;

interface Listed extends Members {
  readonly id: number;
  readonly name: string;
}

interface ListedBuild extends Members, ContestedBuild {
  readonly channel: string;
}

interface Page<Item> {
  readonly data: readonly Item[];
  readonly meta: { readonly last_page: number; readonly total: number };
}

/**
 * Compares everything in the ledger with what is there, while no client writes; what a call without an
 * answer left open is certain afterwards.
 * @throws Error when something that was acknowledged is gone or changed, something is there that
 *   no client requested or that is half done, or a job doesn't end
 */
export async function compare(deployment: Deployment, ledger: Ledger, credentials: Credentials): Promise<void> {
  const reader = new Reader(deployment, credentials);
  await settleTokens(reader, ledger, deployment);
  const settled = await inParallel(ledger.apps, async (app) => ((await settleApp(reader, ledger, app)) ? [app] : []));
  ledger.apps = settled.flat();
  ledger.contest.compare(await reader.endedBuilds(ledger.contest.bundleId));
  await inParallel(ledger.apps, (app) => compareOffers(deployment, app));
}

/** A device of every app downloads what each channel offers it. Answers how many bundles that were. */
export async function compareBytes(deployment: Deployment, ledger: Ledger): Promise<number> {
  const downloads = await inParallel(ledger.apps, async (app) => {
    const offers = await offersOf(deployment, app);
    for (const { downloadUrl, checksum } of offers) {
      const response = await fetch(downloadUrl);
      const received = sha256(new Uint8Array(await response.arrayBuffer()));
      if (response.status !== 200 || received !== checksum) {
        throw new Error(`A device of ${app.bundleId} got ${response.status} and ${received} instead of ${checksum}.`);
      }
    }
    return offers.length;
  });
  return downloads.reduce((sum, count) => sum + count, 0);
}

class Reader {
  private next = 0;

  constructor(
    private readonly deployment: Deployment,
    private readonly credentials: Credentials,
  ) {}

  /** Of every gateway in turn. @throws Error for another status than 200 and 404 */
  async read<Body>(
    path: string,
    { plane = 'public', credential = this.credentials.token } = {},
  ): Promise<Body | undefined> {
    const { gateways } = this.deployment;
    const gateway = gateways[this.next++ % gateways.length]!;
    const answer = await call<Body>(`${gateway}/api/${plane}/v1${path}`, {
      headers: { Authorization: `Bearer ${credential}` },
    });
    if (answer.status === 404) return undefined;
    if (answer.status === 200) return answer.body;
    throw new Error(`GET ${path} answered ${answer.status} ${JSON.stringify(answer.body)} while nothing was wrong.`);
  }

  async all<Item>(path: string, options: { plane?: string; credential?: string } = {}): Promise<Item[]> {
    const items: Item[] = [];
    for (let page = 1; ; page += 1) {
      const found = await this.read<Page<Item>>(`${path}?per_page=50&page=${page}`, options);
      if (!found) throw new Error(`There is no list ${path}.`);
      items.push(...found.data);
      if (page >= found.meta.last_page) return items;
    }
  }

  tokens(): Promise<Listed[]> {
    return this.all<Listed>('/tokens', { plane: 'dashboard', credential: this.credentials.ownerKey });
  }

  /** Once the job of each has ended. */
  async endedBuilds(app: string): Promise<ListedBuild[]> {
    const deadline = performance.now() + JOBS_WITHIN_MS;
    for (;;) {
      const builds = await this.all<ListedBuild>(`/apps/${app}/builds`);
      const waiting = builds.filter(({ status }) => status === 'processing');
      if (waiting.length === 0) return builds;
      if (performance.now() > deadline) throw new Error(`Jobs did not end: ${JSON.stringify(waiting)}`);
      await delay(POLL_MS);
    }
  }
}

async function settleTokens(reader: Reader, ledger: Ledger, { gateways }: Deployment): Promise<void> {
  const listed = await reader.tokens();
  ledger.tokens = settleAll(ledger, 'token', ledger.tokens, listed, ({ name }) => name);
  await inParallel(ledger.tokens, async ({ secret, name, fact }) => {
    if (secret === undefined) return;
    for (const gateway of gateways) {
      const { status } = await call(`${gateway}/api/public/v1/token`, {
        headers: { Authorization: `Bearer ${secret}` },
      });
      const expected = fact.certain?.status === 'revoked' ? 401 : 200;
      if (status !== expected) throw new Error(`Token ${name} is answered ${status}, not ${expected}.`);
    }
  });
}

/** Answers whether there is such an app. */
async function settleApp(reader: Reader, ledger: Ledger, app: KnownApp): Promise<boolean> {
  const path = `/apps/${app.bundleId}`;
  const found = await reader.read<{ data: Listed }>(path);
  if (app.fact.settle(found?.data) === undefined || !found) return false;
  ledger.identify('app', app, found.data.id);

  const keys = await reader.all<Listed>(`${path}/api-keys`);
  app.keys = settleAll(ledger, 'key', app.keys, keys, ({ name }) => name);

  const builds = await reader.endedBuilds(app.bundleId);
  app.builds = settleAll(ledger, 'build', app.builds, builds, ({ version, channel }) => `${version} in ${channel}`);
  for (const build of app.builds) {
    if (!build.ended && build.jobId !== undefined)
      await compareJob(reader, build.jobId, build.id, build.fact.certain!.status);
    build.ended = true;
  }
  return true;
}

interface Job {
  readonly data: { readonly status: string; readonly result: { readonly build_id: number } | null };
}

/** The build has its outcome, so the job is closed, or about to be. */
async function compareJob(reader: Reader, jobId: string, buildId: number | undefined, build: string): Promise<void> {
  const expected = build === 'failed' ? 'failed' : 'completed';
  const deadline = performance.now() + JOBS_WITHIN_MS;
  for (;;) {
    const job = await reader.read<Job>(`/jobs/${jobId}`);
    if (job?.data.status === expected && (expected === 'failed' || job.data.result?.build_id === buildId)) return;
    const closed = job === undefined || job.data.status === 'completed' || job.data.status === 'failed';
    if (closed || performance.now() > deadline) {
      throw new Error(`Job ${jobId} of build ${String(buildId)} is ${JSON.stringify(job?.data)}, not ${expected}.`);
    }
    await delay(POLL_MS);
  }
}

/** Settles each known resource by the listed one of its name. Answers those that are there. */
function settleAll<Item extends Known<object>, Found extends { readonly id: number }>(
  ledger: Ledger,
  kind: Parameters<Ledger['identify']>[0],
  known: readonly Item[],
  listed: readonly Found[],
  nameOf: (resource: Item | Found) => string,
): Item[] {
  const found = new Map(listed.map((resource) => [nameOf(resource), resource]));
  if (found.size !== listed.length) throw new Error(`One ${kind} is there twice: ${JSON.stringify(listed)}`);
  const present = known.filter((resource) => {
    const actual = found.get(nameOf(resource));
    found.delete(nameOf(resource));
    if (resource.fact.settle(actual) === undefined || !actual) return false;
    ledger.identify(kind, resource, actual.id);
    return true;
  });
  const [stranger] = found.values();
  if (stranger) throw new Error(`No client requested the ${kind} ${JSON.stringify(stranger)}.`);
  return present;
}

async function compareOffers(deployment: Deployment, app: KnownApp): Promise<void> {
  await offersOf(deployment, app);
  const revoked = app.keys.find(({ fact, secret }) => fact.certain?.status === 'revoked' && secret !== undefined);
  if (revoked?.secret === undefined) return;
  for (const address of deployment.devices) {
    const { status } = await checkUpdate(address, revoked.secret, randomUUID(), '0.0.0');
    if (status !== 401) throw new Error(`The revoked key ${revoked.name} is answered ${status}.`);
  }
}

/** What every device process offers a device of the app, after comparing it with the ledger. */
async function offersOf(deployment: Deployment, app: KnownApp): Promise<{ downloadUrl: string; checksum: string }[]> {
  const key = app.keys.find(({ fact, secret }) => fact.certain?.status === 'active' && secret !== undefined);
  if (key?.secret === undefined) return [];
  const offers = [];
  const device = randomUUID();
  for (const address of deployment.devices) {
    for (const channel of CHANNELS) {
      const expected = offeredTo(device, app, channel);
      const { status, body } = await checkUpdate(address, key.secret, device, '0.0.0', channel);
      const offered = status === 200 && (body.available ? body.checksum : 'nothing');
      if (offered !== (expected?.checksum ?? 'nothing') || body.version !== expected?.version) {
        throw new Error(
          `A device of ${app.bundleId} is offered ${JSON.stringify(body)} in ${channel}, not ${JSON.stringify(expected)}.`,
        );
      }
      if (expected) offers.push({ downloadUrl: body.downloadUrl, checksum: expected.checksum });
    }
  }
  return offers;
}

async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const hand = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: ALL_AT_ONCE }, hand));
  return results;
}
