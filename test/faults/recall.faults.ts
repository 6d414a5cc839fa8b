import { setTimeout as delay } from 'node:timers/promises';
import { readSettings } from '@sluice/config';
import { openEngines } from '@sluice/engines';
import { eventually } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { call, checkUpdate, management, type Answer } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';
import { faultRun, say } from './run';
import { FAULT_SETTINGS } from './scene';

const run = faultRun('kills during recalls');
/** A start has come to its end by then, most of the time. */
const START_MS = 1_500;
const APP = 'com.example.recalled';
type Channel = 'production' | 'staging' | 'development';

interface Build {
  readonly id: number;
  readonly version: string;
  readonly checksum: string;
  readonly status: string;
  readonly recalled_at: string | null;
  readonly recall_target: number | string | null;
  readonly recall_of: number | null;
  readonly republished_from_id: number | null;
}
interface Recalled {
  readonly data?: { readonly build: Build; readonly republished: Build | null };
  readonly error?: { readonly code: string };
}
interface RecallStatus {
  readonly recalled_at: string | null;
  readonly target: number | string | null;
  readonly replacement: { readonly id: number; readonly version: string } | null;
}

/** A version that is live in every channel, and the request that recalls it in production. */
interface Release {
  readonly version: string;
  readonly ids: Readonly<Record<Channel, number>>;
  readonly everywhere: boolean;
  readonly key: string;
}

describe('a process that is killed while it recalls builds', () => {
  let deployment: Deployment;
  let token: string;
  let apiKey: string;
  let good: string;

  const api = () => management(deployment.gateways[0]!, token);
  const path = (id: number) => `/apps/${APP}/builds/${id}`;
  const build = async (id: number) => (await api().get<{ data: Build }>(path(id))).body.data;
  const status = async (id: number) => (await api().get<{ data: RecallStatus }>(`${path(id)}/recall`)).body.data;
  const offered = async (current: string, channel: Channel) =>
    (await checkUpdate(deployment.devices[0]!, apiKey, 'device', current, channel)).body;

  async function release(version: string): Promise<Release['ids']> {
    const bundle = await zipOf({ 'index.html': `<h1>${version}</h1>` });
    const accepted = await api().upload(`/apps/${APP}/builds`, bundle, { version, channel: 'development' });
    const { id } = accepted.body.data.build;
    await eventually(async () => (await build(id)).status === 'active');
    const promote = async (target_channel: Channel) =>
      (await api().post<{ data: Build }>(`${path(id)}/promote`, { target_channel })).body.data.id;
    return { production: await promote('production'), staging: await promote('staging'), development: id };
  }

  function recall({ ids, everywhere, key }: Release): Promise<Answer<Recalled>> {
    return call<Recalled>(`${deployment.gateways[0]!}/api/public/v1${path(ids.production)}/recall`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Idempotency-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ reason: 'White screen.', everywhere }),
    });
  }

  /** Undefined: the process ended before its response. */
  async function answerTo(request: Promise<Answer<Recalled>>): Promise<Answer<Recalled> | undefined> {
    try {
      return await request;
    } catch (error) {
      // What fetch throws when the connection broke; of a class that is not Jest's own.
      if ((error as Error).name === 'TypeError') return undefined;
      throw error;
    }
  }

  /** All of it happened, or nothing; returns which. */
  async function inspect({ version, ids }: Release, channel: Channel): Promise<boolean> {
    const found = await build(ids[channel]);
    const { target, replacement } = await status(ids[channel]);
    const moved = await offered(version, channel);
    const behind = await offered('0.0.1', channel);
    if (found.recalled_at === null) {
      expect(found).toMatchObject({ status: 'active', recall_target: null });
      expect({ moved, behind }).toMatchObject({ moved: { available: false }, behind: { version } });
      return false;
    }
    expect(found).toMatchObject({ status: 'paused', recall_target: expect.any(Number) as number });
    const republished = await build(replacement!.id);
    expect(republished).toMatchObject({ status: 'active', republished_from_id: target });
    const { checksum } = await build(target as number);
    expect(moved).toMatchObject({ available: true, version: replacement!.version, checksum, mandatory: true });
    expect(behind).toMatchObject({ available: true, checksum });
    return true;
  }

  /**
   * @throws Error when a build was recalled twice, or a recall and its republished build are not of one append
   * @returns the recalled builds, with the time of each in milliseconds since the epoch
   */
  async function auditRecalls(): Promise<ReadonlyMap<number, number>> {
    const engines = await openEngines(readSettings({ ...deployment.env, BUS_URL: 'inproc:' }), 'audit');
    try {
      const recalled = new Map<number, number>();
      const open = new Map<string, { readonly buildId: unknown; readonly commandId: string }>();
      for await (const { type, stream, data, metadata } of engines.events.readAll()) {
        const before = open.get(stream);
        open.delete(stream);
        const { commandId } = metadata;
        const after = type === 'BuildRepublished' ? { buildId: data['recallOf'], commandId } : undefined;
        if (JSON.stringify(before) !== JSON.stringify(after)) {
          throw new Error(`In ${stream}, ${type} follows ${JSON.stringify(before)}: ${JSON.stringify(data)}`);
        }
        if (type !== 'BuildRecalled') continue;
        const { buildId } = data as { readonly buildId: number };
        if (recalled.has(buildId)) throw new Error(`Build ${buildId} was recalled twice.`);
        recalled.set(buildId, Date.parse(metadata.at));
        open.set(stream, { buildId, commandId });
      }
      if (open.size > 0) throw new Error(`Recalls without a republished build: ${JSON.stringify([...open])}`);
      return recalled;
    } finally {
      await engines.close();
    }
  }

  beforeAll(async () => {
    deployment = await standalone.deploy(FAULT_SETTINGS);
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      DATA_DIR: deployment.dataDir,
    });
    ({ token } = JSON.parse(made.stdout) as { token: string });
    await api().post('/apps', { name: 'Recalled', bundle_id: APP });
    const key = await api().post<{ data: { plaintext_key: string } }>(`/apps/${APP}/api-keys`, { name: 'app' });
    apiKey = key.body.data.plaintext_key;
    good = (await build((await release('1.0.0')).production)).checksum;
  }, 60_000);

  afterAll(() => deployment.destroy(), 60_000);

  it(
    `has recalled all of it or nothing, and completes recalls everywhere, over ${run.kills} kills`,
    async () => {
      const { random } = run;
      const releases: Release[] = [];
      const publish = async (everywhere: boolean) => {
        const version = `1.${releases.length + 1}.0`;
        const made = { version, ids: await release(version), everywhere, key: `recall-${version}` };
        releases.push(made);
        return made;
      };
      // How long the last acknowledged recall took, by whether it was everywhere. The next kill is within 1.4 times that.
      const durations = new Map<boolean, number>();
      const measured = async (made: Release) => {
        const begin = performance.now();
        const answer = await answerTo(recall(made));
        if (answer !== undefined) durations.set(made.everywhere, performance.now() - begin);
        return answer;
      };
      for (const everywhere of [false, true]) {
        expect((await measured(await publish(everywhere)))?.status).toBe(200);
      }

      const unanswered: Release[] = [];
      const killed: { readonly release: Release; readonly at: number }[] = [];
      const counted = { kills: 0, duringStarts: 0, acknowledged: 0, happened: 0, nothing: 0 };
      while (counted.kills < run.kills) {
        const made = await publish(random.chance(0.5));
        const [server] = deployment.processes;
        const longest = durations.get(made.everywhere)!;
        const answering = measured(made);
        await delay(random.below(1.4 * longest));
        killed.push({ release: made, at: Date.now() });
        await server!.stop('SIGKILL');
        counted.kills += 1;
        const answer = await answering;
        while (counted.kills < run.kills && random.chance(0.2)) {
          const starting = deployment.revive(server!);
          await delay(random.below(START_MS));
          await starting.stop('SIGKILL');
          counted.kills += 1;
          counted.duringStarts += 1;
        }
        await deployment.revive(server!).ready;

        const happened = await inspect(made, 'production');
        if (answer !== undefined) {
          expect([answer.status, happened]).toEqual([200, true]);
          expect(await build(made.ids.production)).toEqual(answer.body.data!.build);
          counted.acknowledged += 1;
        } else {
          unanswered.push(made);
          counted[happened ? 'happened' : 'nothing'] += 1;
        }
        for (const channel of ['staging', 'development'] as const) {
          if (happened && made.everywhere) {
            await eventually(async () => (await build(made.ids[channel])).recalled_at !== null, { withinMs: 30_000 });
          }
          expect(await inspect(made, channel)).toBe(happened && made.everywhere);
        }
      }

      // The rows of requests that died are taken over when they have not been renewed for ten seconds.
      const repeated = await Promise.all(
        unanswered.map(async (made) => {
          for (;;) {
            const answer = await recall(made);
            if (answer.body.error?.code !== 'IDEMPOTENCY_IN_PROGRESS') return answer;
            await delay(200);
          }
        }),
      );
      expect(repeated.map((answer) => answer.status)).toEqual(unanswered.map(() => 200));

      const expected = releases.flatMap(({ ids, everywhere }) => (everywhere ? Object.values(ids) : [ids.production]));
      const recalledAt = await auditRecalls();
      expect([...recalledAt.keys()].sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b));
      for (const { version } of releases) {
        expect(await offered(version, 'production')).toMatchObject({ available: true, checksum: good });
      }
      expect(await offered('0.0.1', 'production')).toMatchObject({ version: '1.0.0' });
      expect(await deployment.stop()).toEqual([0]);
      const completedLater = killed.filter(({ release: { ids, everywhere }, at }) => {
        const isLater = (channel: Channel) => recalledAt.get(ids[channel])! > at;
        return everywhere && !isLater('production') && (isLater('staging') || isLater('development'));
      }).length;
      say(`recalls and kills: ${JSON.stringify({ ...counted, completedLater, repeated: repeated.length })}`);
    },
    120_000 + run.kills * 30_000,
  );
});
