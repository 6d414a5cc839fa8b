import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sha256, type UploadAnswer } from '../support/http';
import { zipOf } from '../support/zip';
import type { Client } from './client';
import { Fact } from './fact';
import { CHANNELS, type BuildState, type KnownApp, type KnownBuild, type Known, type Ledger } from './ledger';
import type { Random } from './random';

interface Created {
  readonly data: { readonly id: number; readonly token?: string; readonly plaintext_key?: string };
}

interface JobAnswer {
  readonly data: { readonly status: string; readonly error: string | null };
}

const MAX_ACTIVE_KEYS = 3;
/** Before the next call, after one that a fault cut off. */
const PAUSE_MS = 20;

/** Makes one management call after the other on apps of its own, and writes down what became of it. */
export class Writer {
  private readonly apps: KnownApp[] = [];
  private made = 0;

  constructor(
    private readonly name: string,
    private readonly client: Client,
    private readonly ledger: Ledger,
    private readonly random: Random,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const answered = await this.step();
      if (!answered) await delay(PAUSE_MS);
    }
  }

  /** Answers whether the call was acknowledged, or there was nothing to do. */
  private step(): Promise<boolean> {
    const apps = this.apps.filter(({ fact }) => fact.certain !== undefined);
    if (apps.length === 0 || this.random.chance(0.03)) return this.createApp();
    const app = this.random.pick(apps.slice(-3));
    const ended = app.builds.filter((build) => build.ended && build.fact.certain !== undefined);
    const sound = ended.filter(({ fact }) => fact.certain?.status !== 'failed');
    if (sound.length > 0 && this.random.chance(0.5)) {
      const build = this.random.pick(sound.slice(-6));
      return this[this.random.pick(['edit', 'edit', 'changeRollout', 'promote'] as const)](app, build);
    }
    const next = [
      ...(['upload', 'upload', 'upload', 'lookAtJobs', 'lookAtJobs', 'contend'] as const),
      ...(['createKey', 'revokeKey', 'createToken', 'revokeToken'] as const),
    ];
    return this[this.random.pick(next)](app);
  }

  private async createApp(): Promise<boolean> {
    const bundleId = `com.example.${this.name}.a${++this.made}`;
    const fact = new Fact<NonNullable<KnownApp['fact']['certain']>>(`App ${bundleId}`);
    const app: KnownApp = { fact, bundleId, id: undefined, keys: [], builds: [], versions: 0 };
    this.apps.push(app);
    this.ledger.apps.push(app);
    const state = {
      name: `App ${bundleId}`,
      bundle_id: bundleId,
      description: `Of ${this.name}`,
      platform: this.random.pick(['ios', 'both']),
    };
    const created = await fact.change(state, this.client.post<Created>('/apps', state));
    if (created) this.ledger.identify('app', app, created.data.id);
    return created !== undefined && this.createKey(app);
  }

  private async createKey(app: KnownApp): Promise<boolean> {
    const present = app.keys.filter(({ fact }) => fact.certain?.status !== 'revoked');
    if (present.length >= MAX_ACTIVE_KEYS) return true;
    const name = `${this.name}-k${++this.made}`;
    const key: KnownApp['keys'][number] = { fact: new Fact(`Key ${name}`), name, id: undefined };
    app.keys.push(key);
    const call = this.client.post<Created>(`${pathOf(app)}/api-keys`, { name });
    const created = await key.fact.change({ name, status: 'active' }, call);
    if (created) this.noteSecret('key', key, created.data.id, created.data.plaintext_key);
    return created !== undefined;
  }

  /** The first one stays, for the devices. */
  private async revokeKey(app: KnownApp): Promise<boolean> {
    const key = app.keys.slice(1).find(({ fact, id }) => fact.certain?.status === 'active' && id !== undefined);
    if (key?.id === undefined) return true;
    const call = this.client.post(`${pathOf(app)}/api-keys/${key.id}/revoke`, undefined, { success: 200 });
    return (await key.fact.change({ name: key.name, status: 'revoked' }, call)) !== undefined;
  }

  private async createToken(): Promise<boolean> {
    const name = `${this.name}-t${++this.made}`;
    const token: Ledger['tokens'][number] = { fact: new Fact(`Token ${name}`), name, id: undefined };
    this.ledger.tokens.push(token);
    const permissions = this.random.pick([['manage'], ['manage', 'builds.delete']]);
    const grant = { name, permissions, all_apps: this.random.chance(0.5) };
    const call = this.client.asOwner<Created>('/tokens', grant);
    const created = await token.fact.change({ ...grant, status: 'active' }, call);
    if (created) this.noteSecret('token', token, created.data.id, created.data.token);
    return created !== undefined;
  }

  private async revokeToken(): Promise<boolean> {
    const own = this.ledger.tokens.filter(({ name, fact }) => {
      return name.startsWith(`${this.name}-`) && fact.certain?.status === 'active';
    });
    const [token] = own;
    if (own.length < 2 || token?.id === undefined || !token.fact.certain) return true;
    const call = this.client.asOwner(`/tokens/${token.id}/revoke`, undefined, { success: 200 });
    return (await token.fact.change({ ...token.fact.certain, status: 'revoked' }, call)) !== undefined;
  }

  private noteSecret(kind: 'key' | 'token', resource: Known<object>, id: number, secret: string | undefined): void {
    this.ledger.identify(kind, resource, id);
    if (secret !== undefined) resource.secret = secret;
  }

  private async upload(app: KnownApp): Promise<boolean> {
    const version = `1.${++app.versions}.0`;
    const channel = this.random.pick(CHANNELS);
    const damaged = this.random.chance(0.1);
    const whole = await zipOf({ 'index.html': version, 'app.js': randomBytes(1 + this.random.below(20_000)) });
    const bundle = damaged ? whole.subarray(0, whole.length - 30) : whole;
    const state: BuildState = {
      version,
      channel,
      status: damaged ? 'failed' : 'active',
      checksum: sha256(bundle),
      file_size: bundle.length,
      signature: this.random.pick([null, 'c2lnbmF0dXJl']),
      release_notes: this.random.pick([null, `What is new in ${version}`]),
      rollout_percentage: this.random.pick([100, 100, 1 + this.random.below(100)]),
      rollout_enabled: true,
      mandatory: this.random.chance(0.2),
      promoted_from_id: null,
    };
    const build = this.noteBuild(app, state);
    const call = this.client.upload<UploadAnswer>(`${pathOf(app)}/builds`, bundle, {
      version,
      channel,
      rollout_percentage: String(state.rollout_percentage),
      mandatory: String(state.mandatory),
      ...(state.signature !== null && { signature: state.signature }),
      ...(state.release_notes !== null && { release_notes: state.release_notes }),
    });
    const accepted = await build.fact.change(state, call);
    if (!accepted) return false;
    this.ledger.identify('build', build, accepted.data.build.id);
    build.jobId = accepted.data.job_id;
    return true;
  }

  private async lookAtJobs(app: KnownApp): Promise<boolean> {
    for (const build of app.builds.filter(({ ended, jobId }) => !ended && jobId !== undefined)) {
      const job = await this.client.read<JobAnswer>(`/jobs/${build.jobId!}`);
      if (!job) return false;
      const { status, error } = job.data;
      if (status !== 'completed' && status !== 'failed') continue;
      const expected = build.fact.certain?.status === 'failed' ? 'failed' : 'completed';
      if (status !== expected) throw new Error(`Job ${build.jobId!} is ${status}, not ${expected}: ${String(error)}`);
      build.ended = true;
    }
    return true;
  }

  private async edit(app: KnownApp, build: KnownBuild): Promise<boolean> {
    const state = build.fact.certain!;
    const edits = {
      status: this.random.pick(['active', 'paused', 'paused', 'archived'] as const),
      ...(this.random.chance(0.5) && { release_notes: `Edited ${++this.made}` }),
      ...(this.random.chance(0.3) && { mandatory: !state.mandatory }),
    };
    const call = this.client.patch(`${pathOf(app)}/builds/${build.id!}`, edits);
    return (await build.fact.change({ ...state, ...edits }, call)) !== undefined;
  }

  private async changeRollout(app: KnownApp, build: KnownBuild): Promise<boolean> {
    const rollout = {
      rollout_percentage: this.random.pick([0, 100, this.random.below(101)]),
      enabled: this.random.chance(0.7),
    };
    const { rollout_percentage, enabled: rollout_enabled } = rollout;
    const call = this.client.patch(`${pathOf(app)}/builds/${build.id!}/rollout`, rollout);
    const next = { ...build.fact.certain!, rollout_percentage, rollout_enabled };
    return (await build.fact.change(next, call)) !== undefined;
  }

  private async promote(app: KnownApp, source: KnownBuild): Promise<boolean> {
    const held = app.builds.filter(({ version }) => version === source.version).map(({ channel }) => channel);
    const free = CHANNELS.filter((channel) => !held.includes(channel));
    if (free.length === 0) return true;
    const channel = this.random.pick(free);
    const state: BuildState = {
      ...source.fact.certain!,
      channel,
      status: 'active',
      rollout_percentage: 100,
      rollout_enabled: true,
      promoted_from_id: source.id!,
    };
    const build = this.noteBuild(app, state);
    build.ended = true;
    const call = this.client.post<Created>(`${pathOf(app)}/builds/${source.id!}/promote`, { target_channel: channel });
    const promoted = await build.fact.change(state, call);
    if (promoted) this.ledger.identify('build', build, promoted.data.id);
    return promoted !== undefined;
  }

  private async contend(): Promise<boolean> {
    await this.ledger.contest.enter(this.client, `${this.name}-${++this.made}`);
    return true;
  }

  private noteBuild(app: KnownApp, { version, channel }: BuildState): KnownBuild {
    const fact = new Fact<BuildState>(`Build ${version} in ${channel} of ${app.bundleId}`);
    const build: KnownBuild = { fact, version, channel, id: undefined, ended: false };
    app.builds.push(build);
    return build;
  }
}

function pathOf(app: KnownApp): string {
  return `/apps/${app.bundleId}`;
}
