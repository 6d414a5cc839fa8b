import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stableUuid } from '@sluice/kernel';
import { checkUpdate, management, type UpdateAnswer } from '../support/http';
import { launchProcess, type ServerProcess } from '../support/process';
import { bench, decimals, onServerCore, type Bench } from './bench';
import { buildFacts, versionOf, writeHistory } from './history';
import { drive, type Questions } from './http-load';
import { residentMemory } from './memory';
import { compareWithBare } from './side-by-side';
import { writeSteadily } from './steady-writes';

/**
 * Update checks per second, compared with a bare `node:http` server. Every answer is checked: who gets which
 * build is counted here again, by the rule that the device plane documents. With CHECKS=10000000 in the
 * environment it does so many checks instead, and holds the memory of the process flat.
 */
const LIMITS_OUT_OF_THE_WAY = {
  LIMIT_DEVICE_PER_MINUTE: '1000000000',
  LIMIT_ADDRESS_PER_MINUTE: '1000000000',
};

interface Scene {
  readonly name: string;
  readonly builds: number;
  readonly rollouts: readonly number[];
  /** Reports and uploads come in meanwhile, at one pace for both sides, and take of the core that they share. */
  readonly writes?: boolean;
  /** The app has a signing key: responses carry signed statements. */
  readonly signed?: boolean;
  /** So many of the newest builds are recalled, and every second device runs one of them. */
  readonly recalled?: number;
  /** The newest build is at 0%, and one device in five is pinned to it. */
  readonly pinned?: true;
  /** Default: 0.7. */
  readonly rateAtLeast?: number;
  /** Printed, and held to nothing. */
  readonly aside?: boolean;
}

const ONE_BUILD: Scene = { name: '1 build in the channel', builds: 1, rollouts: [] };
const MANY_BUILDS: Scene = {
  name: '200 builds in the channel, the newest three at 10, 50 and 100%',
  builds: 200,
  rollouts: [10, 50, 100],
};
const RECALLED = 10;
const SCENES: readonly Scene[] = [
  ONE_BUILD,
  MANY_BUILDS,
  {
    name: `200 builds in the channel, the newest ${RECALLED} recalled, the next three at 10, 50 and 100%`,
    builds: 200,
    rollouts: [...Array<number>(RECALLED).fill(100), 10, 50, 100],
    recalled: RECALLED,
  },
  {
    name: '200 builds in the channel, the newest four at 0, 10, 50 and 100%, and 20% of the devices pinned to the newest',
    ...{ builds: 200, rollouts: [0, 10, 50, 100], pinned: true, rateAtLeast: 0.6 },
  },
  { ...ONE_BUILD, name: `${ONE_BUILD.name}, while reports and uploads are written`, writes: true },
  { ...MANY_BUILDS, name: `${MANY_BUILDS.name}, while reports and uploads are written`, writes: true },
  {
    name: '200 builds in the channel, the newest 20 at 5%',
    builds: 200,
    rollouts: Array<number>(20).fill(5),
    aside: true,
  },
  { ...MANY_BUILDS, name: `${MANY_BUILDS.name}, the app has a signing key`, signed: true, aside: true },
];

const PARTS = 10;
const WARM_PARTS = 2;

/** What devices of recalled versions get. */
interface Replacement {
  readonly id: number;
  readonly version: string;
  /** The build that it republishes. */
  readonly target: number;
}

/** Every second device runs the newest version already, or a recalled one. */
const isCurrent = (n: number): boolean => (n & 1) === 1;
/** Of a scene with pins, so many devices ask in turn. */
const DEVICES = 20_000;
const PINNED_AT_ONCE = 100;
const isPinned = (n: number): boolean => (n >>> 1) % 5 === 0;
const deviceOf = (n: number): string => `7f9c24e8-${String(n).padStart(9, '0')}`;

function questionsOf(scene: Scene, { apiKey, replacement }: Pick<Served, 'apiKey' | 'replacement'>): Questions {
  const { builds, rollouts, recalled = 0 } = scene;
  const known = new Map<string, string | undefined>();
  const deviceAt = (n: number) => (scene.pinned ? ((n % DEVICES) + DEVICES) % DEVICES : n);
  const runs = (n: number) => versionOf(recalled === 0 ? builds : builds - ((n >>> 1) % recalled));
  return {
    request: (asked, n = deviceAt(asked)) =>
      'GET /api/v1/updates/check?channel=production HTTP/1.1\r\nHost: updates\r\n' +
      `X-API-Key: ${apiKey}\r\nX-Device-ID: ${deviceOf(n)}\r\nX-Platform: ios\r\n` +
      `X-Current-Version: ${isCurrent(n) ? runs(n) : '0.9.0'}\r\n\r\n`,
    check: (asked, body) => {
      const n = deviceAt(asked);
      if (!known.has(body)) known.set(body, offered(body, builds, replacement));
      const served = builds - recalled;
      const expected = isCurrent(n)
        ? replacement?.version
        : scene.pinned === true && isPinned(n)
          ? versionOf(builds)
          : versionOf(entitled(deviceOf(n), served, rollouts.slice(recalled)));
      if (known.get(body) !== expected) throw new Error(`${deviceOf(n)} should have got ${expected}, not ${body}`);
    },
  };
}

/** The version that an answer offers. @throws when the answer is not, member by member, that of a build of the channel */
function offered(body: string, builds: number, replacement: Replacement | undefined): string | undefined {
  const all = JSON.parse(body) as UpdateAnswer & { readonly expiresAt?: string };
  const { downloadUrl, expiresAt, ...members } = all;
  const answer = Object.fromEntries(
    Object.entries(members).filter(([name]) => !/^(manifest|channelState)/.test(name)),
  ) as Omit<UpdateAnswer, 'downloadUrl'>;
  if (!answer.available) {
    deepStrictEqual(answer, { available: false, message: 'No updates available' });
    return undefined;
  }
  const isReplacement = answer.version === replacement?.version;
  const build = isReplacement
    ? replacement?.target
    : Array.from({ length: builds }, (_, index) => index + 1).find((id) => versionOf(id) === answer.version);
  const { checksum, size, signature, releaseNotes, minNativeVersion, ...facts } = buildFacts(build ?? 0, {
    ...{ appId: 1, channel: 'production', version: '', rolloutPercentage: 100 },
  });
  const bundleId = isReplacement ? answer.bundleId : facts.bundleId;
  const mandatory = isReplacement || facts.mandatory;
  const expected = { bundleId, checksum, signature, size, mandatory, releaseNotes, minNativeVersion };
  deepStrictEqual(answer, { available: true, version: answer.version, ...expected });
  const id = isReplacement ? replacement?.id : build;
  match(downloadUrl, new RegExp(`^http://.+/api/v1/bundles/${id}/download\\?expires=\\d+&signature=[\\w-]+$`));
  ok(Date.parse(expiresAt ?? '') > Date.now());
  return answer.version;
}

/** The newest build whose rollout holds the device; a build's id is its place in the channel. */
function entitled(device: string, builds: number, rollouts: readonly number[]): number {
  let build = builds;
  while (!holds(device, build, rollouts[builds - build] ?? 100)) build -= 1;
  return build;
}

function holds(device: string, build: number, percentage: number): boolean {
  if (percentage === 0) return false;
  if (percentage === 100) return true;
  const first53Bits = BigInt(`0x${hash('sha256', `${device}:${build}`).slice(0, 16)}`) >> 11n;
  return (100 * Number(first53Bits)) / 2 ** 53 < percentage;
}

interface Served {
  readonly server: ServerProcess;
  readonly apiKey: string;
  readonly token: string;
  readonly replacement: Replacement | undefined;
}

async function serve(folder: string, scene: Scene): Promise<Served> {
  const dataDir = mkdtempSync(join(folder, 'scene-'));
  const { apiKey, token } = await writeHistory(dataDir, { ...scene, apps: 1, channels: ['production'] });
  const env = { ...LIMITS_OUT_OF_THE_WAY, DATA_DIR: dataDir };
  const server = await onServerCore(() => launchProcess('standalone', env)).ready;
  if (scene.signed === true) await sign(server.address, token, apiKey);
  if (scene.pinned === true) await pin(server.address, token, scene.builds);
  const replacement = await recall(server.address, token, scene);
  return { server, apiKey, token, replacement };
}

async function pin(address: string, token: string, build: number): Promise<void> {
  const devices = Array.from({ length: DEVICES }, (_, n) => n)
    .filter(isPinned)
    .map(deviceOf);
  for (let from = 0; from < devices.length; from += PINNED_AT_ONCE) {
    const add = devices.slice(from, from + PINNED_AT_ONCE);
    const { status } = await management(address, token).patch(`/apps/1/builds/${build}/pins`, { add });
    ok(status === 200);
  }
}

/** The newest first, so each is recalled to one that is recalled next. */
async function recall(
  address: string,
  token: string,
  { builds, recalled = 0 }: Scene,
): Promise<Replacement | undefined> {
  let replacement: Replacement | undefined;
  for (let build = builds; build > builds - recalled; build -= 1) {
    const path = `/apps/1/builds/${build}/recall`;
    const { status, body } = await management(address, token).post<{
      data: { republished: { id: number; version: string; republished_from_id: number } };
    }>(path, { reason: 'bench' });
    ok(status === 200);
    const { id, version, republished_from_id: target } = body.data.republished;
    replacement = { id, version, target };
  }
  return replacement;
}

/** Gives the app a signing key, and waits until an offer and "nothing new" carry their statements. */
async function sign(address: string, token: string, apiKey: string): Promise<void> {
  const made = await management(address, token).post('/apps/1/signing-key', {});
  ok(made.status === 201);
  for (;;) {
    const answers = await Promise.all(
      ['0.9.0', '999.0.0'].map((current) => checkUpdate(address, apiKey, 'd', current)),
    );
    const isSigned = ({ body }: (typeof answers)[number]) =>
      body.channelState !== undefined && (!body.available || body.manifest !== undefined);
    if (answers.every(isSigned)) return;
    await delay(100);
  }
}

async function measure({ folder, say, judge }: Bench, scene: Scene): Promise<void> {
  const served = await serve(folder, scene);
  const { server, apiKey, token } = served;
  try {
    say(scene.name);
    const writing = { address: server.address, token, apiKey, bundleId: stableUuid('build', 1) };
    const writes = scene.writes === true ? await writeSteadily(writing) : undefined;
    const begun = performance.now();
    const questions = questionsOf(scene, served);
    // One that is offered a build, and one that has it already.
    const samples = [questions.request(-2), questions.request(-1)];
    const ratio = await compareWithBare({ say }, { ...server, pid: server.child.pid! }, questions, samples);
    if (writes !== undefined) {
      const { reports, uploads } = await writes.stop();
      const seconds = (performance.now() - begun) / 1_000;
      say(
        `meanwhile ${decimals(reports / seconds)} reports and ${decimals(uploads / seconds)} uploads a second, part of sluice's CPU above`,
      );
    }
    if (scene.aside) {
      say(`rate ${ratio.rate.toFixed(2)} of bare, p99 ${ratio.p99.toFixed(2)} times that of bare`);
    } else {
      judge('rate, of bare', ratio.rate, '', { atLeast: scene.rateAtLeast ?? 0.7 });
      judge('p99 at 64 connections, times that of bare', ratio.p99, '', { atMost: 2 });
    }
  } finally {
    await server.stop();
  }
}

/** What the process grows by over so many checks, once a fifth of them has warmed it up. */
async function measureMemory({ folder, say, judge }: Bench, checks: number): Promise<void> {
  const served = await serve(folder, MANY_BUILDS);
  const { server } = served;
  try {
    const questions = questionsOf(MANY_BUILDS, served);
    let first = 0;
    const ask = async (until: number) => {
      while (first < until) first += (await drive(server.address, questions, { first, milliseconds: 2_000 })).answers;
      const { now } = residentMemory(server.child.pid!);
      const metrics = await (await fetch(`${server.address}/metrics`)).text();
      const heap = Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(metrics)?.[1]) / 2 ** 20;
      say(`after ${first.toLocaleString('en-US')} checks ${decimals(now)} MiB resident, ${decimals(heap)} MiB of heap`);
      return now;
    };
    const grown = [];
    for (let part = 1; part <= PARTS; part += 1) grown.push(await ask((checks / PARTS) * part));
    const [warm = NaN] = grown.slice(WARM_PARTS - 1);
    judge('growth from a fifth of the checks to all', grown[PARTS - 1]! - warm, 'MiB', { atMost: 32 });
  } finally {
    await server.stop();
  }
}

const checks = Number(process.env['CHECKS'] ?? 0);

void bench('update-check', async (run) => {
  if (checks > 0) await measureMemory(run, checks);
  else for (const scene of SCENES) await measure(run, scene);
});
