import type { ApiKey, App, Build, Channel, Restrictions, Retention } from '@sluice/contracts';
import type { ApplyFile, Wanted, WantedRelease } from './apply-file';
import { appPath } from './connection';
import { Failure, Refusal } from './failure';
import { queryOf, type ApiClient } from './http-client';
import { formatBytes } from './output';

/** One line of a plan. */
export interface Change {
  readonly action: 'create' | 'change' | 'remove';
  /** Such as `key installs` or `production 1.4.0`. */
  readonly subject: string;
  readonly member: string | null;
  readonly before: unknown;
  readonly after: unknown;
  /** A consequence. */
  readonly note?: string;
}

export interface CreatedKey {
  readonly id: number;
  readonly name: string;
  readonly plaintext_key: string;
}

interface Clients {
  readonly client: ApiClient;
  /** Of the dashboard API: undefined where no step needs it. */
  readonly owner: ApiClient | undefined;
}

/** One or more requests, and the lines of the plan that they carry out. */
export interface Step {
  readonly changes: readonly Change[];
  readonly needsOwner?: true;
  readonly createsKey?: true;
  run(clients: Clients): Promise<CreatedKey | undefined>;
}

type Members = Readonly<Record<string, unknown>>;
type Release = WantedRelease & { readonly channel: Channel };
type WantedKey = NonNullable<Wanted['keys']>[number];

/** What has to happen, in order. Only reads. @throws Failure where the file names what does not exist */
export async function planOf(file: ApplyFile, client: ApiClient): Promise<Step[]> {
  const { app: id, settings = {}, channels = {}, keys = [] } = file.wanted;
  const path = appPath(id);
  const app = await client.call<App>(`read the app ${id}`, 'GET', path).catch((error: unknown) => {
    const isNew = error instanceof Refusal && error.code === 'APP_NOT_FOUND' && settings.name !== undefined;
    if (!isNew) throw error;
    return undefined;
  });
  const releases = Object.entries(channels).map(([channel, release]) => ({ ...release, channel }));
  const buildsOf = async (channel: Channel) =>
    app === undefined ? [] : client.list<Build>(`list the builds of ${channel}`, `${path}/builds`, { channel });
  const present = app === undefined ? [] : await client.list<ApiKey>('list the keys', `${path}/api-keys`);
  const steps = [
    ...(app === undefined ? [createApp(id, settings)] : []),
    ...(await settingSteps(path, app, settings, client)),
    ...(file.wanted.keys === undefined ? [] : keySteps(path, present, keys)),
  ];
  for (const release of releases) steps.push(...(await releaseSteps(path, release, buildsOf, file)));
  return steps;
}

/** A line for each member of `wanted` that is given and differs. */
function changesOf(subject: string, present: Members, wanted: Members): Change[] {
  return Object.entries(wanted)
    .filter(([member, value]) => value !== undefined && value !== present[member])
    .map(([member, after]) => ({ action: 'change', subject, member, before: present[member] ?? null, after }));
}

/** The request body that carries lines out. */
const bodyOf = (changes: readonly Change[]): Members =>
  Object.fromEntries(changes.map(({ member, after }) => [String(member), after]));

function createApp(id: string, { name, platform, description }: NonNullable<Wanted['settings']>): Step {
  return {
    changes: [{ action: 'create', subject: `app ${id}`, member: null, before: null, after: name }],
    async run({ client }) {
      const body = { name, bundle_id: id, platform, description };
      await client.call(`create the app ${id}`, 'POST', '/apps', body);
      return undefined;
    },
  };
}

/** What a new app has, besides the members that it is created with. */
const NEW_APP: Members = { signing_key_rotation: 'any_token', unique_signatures: false, keep_builds: null };

async function settingSteps(path: string, app: App | undefined, wanted: Members, client: ApiClient): Promise<Step[]> {
  const all = changesOf('settings', app ?? { ...wanted, ...NEW_APP }, wanted);
  const isOwners = ({ member }: Change) => String(member) in NEW_APP;
  const keep = all.find(({ member, after }) => member === 'keep_builds' && after !== 0);
  const removal = app === undefined || keep === undefined ? undefined : await retentionChange(path, keep, client);
  const groups: readonly [changes: readonly Change[], needsOwner: boolean][] = [
    [all.filter((change) => !isOwners(change)), false],
    [all.filter((change) => isOwners(change) && (removal === undefined || change !== keep)), true],
    [removal === undefined ? [] : [removal], true],
  ];
  return groups
    .filter(([changes]) => changes.length > 0)
    .map(([changes, needsOwner]) => ({
      changes,
      ...(needsOwner && { needsOwner }),
      async run({ client: asToken, owner = asToken }) {
        await (needsOwner ? owner : asToken).call('edit the app', 'PATCH', path, bodyOf(changes));
        return undefined;
      },
    }));
}

/** The line of a `keep_builds` that is lowered, and so deletes builds now or later; undefined for another. */
async function retentionChange(path: string, keep: Change, client: ApiClient): Promise<Change | undefined> {
  const removal = { ...keep, action: 'remove' } as const;
  // The default of the installation is not known here.
  if (keep.after === null) return { ...removal, note: 'may delete builds' };
  const [before, after] = [Number(keep.before), Number(keep.after)];
  if (before !== 0 && before < after) return undefined;
  const query = queryOf({ keep_builds: after });
  const preview = await client.call<Retention>('preview the retention', 'GET', `${path}/retention${query}`);
  return { ...removal, note: `deletes builds, at present ${preview.total} of ${formatBytes(preview.freed_bytes)}` };
}

/** Keys that are not wanted are revoked first: an app has at most three that are active. */
function keySteps(path: string, all: readonly ApiKey[], wanted: readonly WantedKey[]): Step[] {
  const present = all.filter(({ status }) => status !== 'revoked');
  const restrict = (client: ApiClient, { id, name }: Pick<ApiKey, 'id' | 'name'>, restrictions: object) =>
    client.call(`restrict the key ${name}`, 'PATCH', `${path}/api-keys/${id}/restrictions`, restrictions);

  const removed = present.filter(({ name }) => !wanted.some((key) => key.name === name));
  const steps: Step[] = removed.map(({ id, name }) => ({
    changes: [{ action: 'remove', subject: `key ${name}`, member: null, before: `id ${id}`, after: 'revoked' }],
    async run({ client }) {
      await client.call(`revoke the key ${name}`, 'POST', `${path}/api-keys/${id}/revoke`);
      return undefined;
    },
  }));
  for (const { name, restrictions } of wanted) {
    const [key, ...more] = present.filter((each) => each.name === name);
    if (more.length > 0) {
      throw new Failure({
        code: 'AMBIGUOUS_KEY',
        message: `The app has several keys named ${name}: ${[key, ...more].map((each) => each?.id).join(', ')}.`,
        advice: 'Revoke all but one of them: sluice key revoke ID',
      });
    }
    const subject = `key ${name}`;
    if (key === undefined) {
      const after = restrictions ?? {};
      steps.push({
        changes: [{ action: 'create', subject, member: null, before: null, after }],
        createsKey: true,
        async run({ client }) {
          const created = await client.call<CreatedKey>(`create the ${subject}`, 'POST', `${path}/api-keys`, { name });
          if (restrictions !== undefined && spelled(after) !== spelled({})) await restrict(client, created, after);
          return created;
        },
      });
    } else if (restrictions !== undefined && spelled(restrictions) !== spelled(key.restrictions)) {
      const change = { action: 'change', subject, member: 'restrictions' } as const;
      steps.push({
        changes: [{ ...change, before: key.restrictions, after: restrictions }],
        async run({ client }) {
          await restrict(client, key, restrictions);
          return undefined;
        },
      });
    }
  }
  return steps;
}

/** The same text for restrictions that mean the same, as the server compares them. */
function spelled({ origins = [], android = [], ios = [] }: Restrictions): string {
  const digits = (fingerprints: readonly string[] = []) =>
    fingerprints.map((fingerprint) => fingerprint.replaceAll(':', '').toLowerCase()).sort();
  return JSON.stringify([
    origins.map(canonical).sort(),
    android
      .map(({ package_name, sha256, sha1 }) => JSON.stringify([package_name, digits(sha256), digits(sha1)]))
      .sort(),
    ios.map(({ bundle_id, team_id = '' }) => JSON.stringify([bundle_id, team_id])).sort(),
  ]);
}

/** As the server stores an origin: small letters, and no default port. */
function canonical(origin: string): string {
  const [, scheme = '', wildcard = '', authority = ''] = /^(https?:\/\/)(\*\.)?(.*)$/i.exec(origin) ?? [];
  const address = scheme + authority;
  if (!URL.canParse(address)) return origin;
  const { protocol, host } = new URL(address);
  return `${protocol}//${wildcard}${host}`;
}

const ROLLOUT: Readonly<Record<string, string>> = {
  rollout_percentage: 'rollout_percentage',
  rollout_enabled: 'enabled',
};

/** A server of an earlier release returns none. */
const platformOf = ({ platform = 'all' }: Partial<Pick<Build, 'platform'>>) => platform;

async function releaseSteps(
  path: string,
  { channel, version, platform, promote_from: from, ...wanted }: Release,
  buildsOf: (channel: Channel) => Promise<Build[]>,
  { fault }: ApplyFile,
): Promise<Step[]> {
  const subject = `${channel} ${version}`;
  const named = (builds: readonly Build[]) => {
    const found = builds.filter(
      (build) =>
        build.version === version &&
        build.status !== 'failed' &&
        (platform === undefined || platformOf(build) === platform),
    );
    if (found.length < 2) return found[0];
    const message = `There are several builds ${version}. Set platform to one of ${found.map((build) => build.platform).join(', ')}.`;
    throw fault(['channels', channel, 'version'], message);
  };
  const build = named(await buildsOf(channel));
  if (build !== undefined) {
    const changes = changesOf(subject, build, wanted);
    return changes.length === 0
      ? []
      : [
          {
            changes,
            async run({ client }) {
              await editBuild(client, path, build, changes);
              return undefined;
            },
          },
        ];
  }
  const member = ['channels', channel, from === undefined ? 'version' : 'promote_from'];
  if (from === undefined) throw fault(member, `The channel has no build ${version}. Upload it, or set promote_from.`);
  const source = named(await buildsOf(from));
  if (source === undefined) throw fault(member, `The channel ${from} has no build ${version} either.`);
  const { rollout_percentage: percentage = 100 } = wanted;
  const promoted = { ...source, status: 'active', rollout_percentage: percentage, rollout_enabled: true };
  const further = changesOf(subject, promoted, wanted);
  const create = { action: 'create', subject, member: null, before: null } as const;
  return [
    {
      changes: [{ ...create, after: `promoted from ${from} at ${percentage}%` }, ...further],
      async run({ client }) {
        // No device is offered the build before everything else of it is as wanted.
        const start = further.length === 0 ? percentage : 0;
        const body = { target_channel: channel, rollout_percentage: start };
        const request = `${path}/builds/${source.id}/promote`;
        const made = await client.call<Build>(`promote ${version} to ${channel}`, 'POST', request, body);
        const rest = { ...wanted, rollout_percentage: percentage };
        await editBuild(client, path, made, changesOf(subject, made, rest));
        return undefined;
      },
    },
  ];
}

/** Members of the build first, then its rollout; the rollout first if the build becomes active again. */
async function editBuild(client: ApiClient, path: string, build: Build, changes: readonly Change[]): Promise<void> {
  const isRollout = ({ member }: Change) => String(member) in ROLLOUT;
  const requests = [
    ['', bodyOf(changes.filter((change) => !isRollout(change)))],
    [
      '/rollout',
      bodyOf(
        changes.filter(isRollout).map((change) => ({ ...change, member: ROLLOUT[String(change.member)] ?? null })),
      ),
    ],
  ] as const;
  const resumes = changes.some(({ member, after }) => member === 'status' && after === 'active');
  let { revision } = build;
  for (const [route, body] of resumes ? [...requests].reverse() : requests) {
    if (Object.keys(body).length === 0) continue;
    const attempt = `change ${build.channel} ${build.version}`;
    ({ revision } = await client.call<Build>(attempt, 'PATCH', `${path}/builds/${build.id}${route}`, body, revision));
  }
}
