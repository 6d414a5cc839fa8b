import { readdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { CHANNEL_NAME } from '@sluice/kernel/channels';
import { type Delivery, deliveryFault } from '@sluice/kernel/delivery';
import { parseVersion } from '@sluice/kernel/version';
import { parseRange } from '@sluice/kernel/version-range';
import { z } from 'zod';
import { Failure } from './failure';
import { readText } from './read-text';

/** A release in an export of another update service. */
export interface ExportedRelease {
  /** What identifies it there, such as `codepush Production ios v12`. */
  readonly source: string;
  readonly channel: string;
  readonly version: string;
  /** The bundle: a zip in the export, else an address. */
  readonly file: string | undefined;
  readonly url?: string;
  /** The upload's other fields. */
  readonly notes?: string;
  readonly mandatory?: true;
  readonly nativeRange?: string;
  readonly fingerprint?: string;
  readonly platform?: 'ios' | 'android';
  readonly rolloutPercentage?: number;
  /** The bundle is encrypted: what clients need to decrypt it. */
  readonly delivery?: Delivery;
  /** Why it can't be imported. */
  readonly obstacle?: string;
}

/** A text that apps in the field send instead of an app API key. */
export interface ExportedKey {
  readonly name: string;
  readonly key: string;
  readonly channel: string;
}

/** What an export says, in Sluice's words. */
export interface Export {
  /** In the order in which they are to be imported: of a channel, the lowest version first. */
  readonly releases: readonly ExportedRelease[];
  readonly keys: readonly ExportedKey[];
  /** Of channels whose names Sluice does not allow, or has other names for: by the former name, the channel. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Which devices may choose. */
  readonly selfAssigned: ReadonlySet<string>;
}

export interface ReadOptions {
  /** The first two parts of the versions of releases that have none, such as `1.0`. */
  readonly versions: string;
  readonly platform: 'ios' | 'android' | undefined;
}

export type ReadExport = (folder: string, options: ReadOptions) => Promise<Export>;

/** A channel of the other service, as Sluice may call it. */
class ChannelNames {
  readonly aliases: Record<string, string> = {};

  nameOf(former: string): string {
    const name = former
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+/, '')
      .slice(0, 63)
      .replace(/-+$/, '');
    if (!CHANNEL_NAME.test(name)) {
      throw new Failure({
        code: 'CHANNEL_NAME',
        message: `No channel name can be made of ${JSON.stringify(former)}.`,
        advice: 'Rename it in the export, with at least one of a-z and 0-9.',
      });
    }
    const other = Object.entries(this.aliases).find(([alias, channel]) => channel === name && alias !== former)?.[0];
    if (other !== undefined && former !== name) {
      throw new Failure({
        code: 'CHANNEL_NAME',
        message: `${JSON.stringify(other)} and ${JSON.stringify(former)} would both become the channel ${name}.`,
        advice: 'Rename one of them in the export.',
      });
    }
    if (former !== name) this.aliases[former] = name;
    return name;
  }
}

const TO_NO_DEVICE = 'It is rolled out to no device.';

const deploymentsSchema = z.array(
  z.object({ name: z.string().regex(/^[^/\\]+$/, 'A name must not contain / or \\.'), key: z.string().optional() }),
);
const packagesSchema = z.array(
  z.object({
    label: z.string().regex(/^v\d+$/, 'A label must look like v12.'),
    packageHash: z.string(),
    appVersion: z.string().nullish(),
    blobUrl: z.string().optional(),
    description: z.string().nullish(),
    isDisabled: z.boolean().nullish(),
    isMandatory: z.boolean().nullish(),
    rollout: z.number().nullish(),
  }),
);

/**
 * Reads `deployments.json` and, for each deployment, the history in `NAME.json`, both as the CLI code-push-standalone prints
 * them with `--format json`. A bundle is `PACKAGE_HASH.zip`, else it is at its `blobUrl`.
 */
export const readCodePush: ReadExport = async (folder, { versions, platform }) => {
  const names = new ChannelNames();
  const files = await filesIn(folder);
  const releases: ExportedRelease[] = [];
  const keys: ExportedKey[] = [];
  for (const { name, key } of await readJson(folder, 'deployments.json', deploymentsSchema)) {
    const channel = names.nameOf(name);
    const former = `codepush ${name}${platform === undefined ? '' : ` ${platform}`}`;
    if (key !== undefined) keys.push({ name: former, key, channel });
    const packages = await readJson(folder, `${name}.json`, packagesSchema);
    const numberOf = ({ label }: { readonly label: string }) => Number(label.slice(1));
    for (const each of packages.toSorted((left, right) => numberOf(left) - numberOf(right))) {
      const { label, packageHash, appVersion, blobUrl, description, isDisabled, isMandatory, rollout } = each;
      const file = files.find((path) => basename(path) === `${packageHash}.zip`);
      releases.push({
        source: `${former} ${label}`,
        channel,
        version: `${versions}.${numberOf(each)}`,
        file,
        ...(file === undefined && blobUrl !== undefined && { url: blobUrl }),
        ...described({ notes: description, mandatory: isMandatory, range: appVersion, percentage: rollout }),
        ...(platform !== undefined && { platform }),
        ...obstacleOf([
          [isDisabled === true, 'It is disabled.'],
          [rollout === 0, TO_NO_DEVICE],
          [file === undefined && blobUrl === undefined, `There is no file ${packageHash}.zip.`],
          [isNoRange(appVersion), `${JSON.stringify(appVersion)} is no semver range.`],
        ]),
      });
    }
  }
  // Its clients name no channel.
  return { releases, keys, aliases: {}, selfAssigned: new Set() };
};

const capgoVersionSchema = z.object({ name: z.string() }).nullish();
const capgoChannelsSchema = z.array(
  z.object({
    name: z.string().min(1),
    version: capgoVersionSchema,
    allow_device_self_set: z.boolean().nullish(),
    rolloutEnabled: z.boolean().nullish(),
    rolloutPercentageBps: z.number().nullish(),
    rollout_version_info: capgoVersionSchema,
  }),
);
const capgoBundlesSchema = z.array(
  z.object({
    name: z.string(),
    comment: z.string().nullish(),
    external_url: z.string().nullish(),
    session_key: z.string().nullish(),
    checksum: z.string().nullish(),
    key_id: z.string().nullish(),
  }),
);
/** In hundredths of a percent. */
const WHOLE_BPS = 10_000;

/**
 * Reads `channels.json` and `bundles.json`, as Capgo's API returns them for `/channel` and `/bundle`. Imported is what each
 * channel serves; a bundle is `NAME.zip`, else it is at its `external_url`.
 */
export const readCapgo: ReadExport = async (folder, { platform }) => {
  const names = new ChannelNames();
  const files = await filesIn(folder);
  const bundles = await readJson(folder, 'bundles.json', capgoBundlesSchema);
  const channels = await readJson(folder, 'channels.json', capgoChannelsSchema);
  const releases: ExportedRelease[] = [];
  const selfAssigned = new Set<string>();
  for (const each of channels) {
    const channel = names.nameOf(each.name);
    if (each.allow_device_self_set === true) selfAssigned.add(channel);
    const { version, rollout_version_info: next, rolloutEnabled, rolloutPercentageBps } = each;
    const percentage = Math.ceil(((rolloutPercentageBps ?? WHOLE_BPS) / WHOLE_BPS) * 100);
    const served = [
      ...(version ? [{ name: version.name, percentage: 100 }] : []),
      ...(next && rolloutEnabled === true && next.name !== version?.name ? [{ name: next.name, percentage }] : []),
    ];
    for (const { name, percentage: percentageOf } of served) {
      // Stand-ins for the bundle in the native app, and for one that is deleted.
      if (name === 'builtin' || name === 'unknown') continue;
      const bundle = bundles.find((one) => one.name === name);
      const file = files.find((path) => basename(path) === `${name}.zip`);
      const url = bundle?.external_url ?? undefined;
      const delivery = bundle && deliveryOf(bundle);
      releases.push({
        ...{ source: `capgo ${each.name} ${name}`, channel, version: name, file },
        ...(file === undefined && url !== undefined && { url }),
        ...described({ notes: bundle?.comment, percentage: percentageOf }),
        ...(platform !== undefined && { platform }),
        ...(delivery !== undefined && { delivery }),
        ...obstacleOf([
          [parseVersion(name) === undefined, `${JSON.stringify(name)} is no semver version.`],
          [percentageOf === 0, TO_NO_DEVICE],
          [bundle === undefined, 'bundles.json does not have it.'],
          [
            delivery !== undefined && deliveryFault(delivery) !== undefined,
            'It is encrypted, and bundles.json does not have its session_key and checksum in the form of encryption v2.',
          ],
          [file === undefined && url === undefined, `There is no file ${name}.zip.`],
        ]),
      });
    }
  }
  return { releases, keys: [], aliases: names.aliases, selfAssigned };
};

/** Undefined: the bundle is not encrypted. */
function deliveryOf({
  session_key,
  checksum,
  key_id,
}: z.infer<typeof capgoBundlesSchema>[number]): Delivery | undefined {
  if (!session_key) return undefined;
  return { capgo: { session_key, checksum: checksum ?? '', ...(key_id && { key_id }) } };
}

const hotUpdaterSchema = z.array(
  z.object({
    id: z.string(),
    channel: z.string().min(1),
    platform: z.enum(['ios', 'android']),
    enabled: z.boolean(),
    shouldForceUpdate: z.boolean().nullish(),
    message: z.string().nullish(),
    targetAppVersion: z.string().nullish(),
    fingerprintHash: z.string().nullish(),
    rolloutCohortCount: z.number().nullish(),
  }),
);
const COHORTS = 1_000;

/** Reads a copy of the bucket of hot-updater: every `update.json`, and bundles in `ID/bundle.zip`. */
export const readHotUpdater: ReadExport = async (folder, { versions, platform }) => {
  const names = new ChannelNames();
  const files = await filesIn(folder);
  const bundles = new Map<string, z.infer<typeof hotUpdaterSchema>[number]>();
  for (const path of files.filter((each) => basename(each) === 'update.json')) {
    for (const bundle of await readJson(folder, relative(folder, path), hotUpdaterSchema))
      bundles.set(bundle.id, bundle);
  }
  if (bundles.size === 0) {
    throw new Failure({ code: 'NO_EXPORT', message: `There is no update.json with a bundle below ${folder}.` });
  }
  const numbers = new Map<string, number>();
  // Their ids are UUIDs of version 7, which begin with the time.
  const releases = [...bundles.values()]
    .toSorted((left, right) => (left.id < right.id ? -1 : 1))
    .map((bundle): ExportedRelease => {
      const { id, enabled, shouldForceUpdate, message, targetAppVersion, fingerprintHash, rolloutCohortCount } = bundle;
      const channel = names.nameOf(bundle.channel);
      const line = `${channel} ${bundle.platform}`;
      const number = (numbers.get(line) ?? 0) + 1;
      numbers.set(line, number);
      const file = files.find((path) => path.endsWith(join(id, 'bundle.zip')));
      const cohorts = rolloutCohortCount ?? COHORTS;
      return {
        ...{ source: `hot-updater ${id}`, channel, version: `${versions}.${number}`, file, platform: bundle.platform },
        ...described({ notes: message, mandatory: shouldForceUpdate, range: targetAppVersion }),
        ...described({ percentage: Math.ceil((cohorts / COHORTS) * 100) }),
        ...(fingerprintHash && { fingerprint: fingerprintHash }),
        ...obstacleOf([
          [platform !== undefined && platform !== bundle.platform, `It is for ${bundle.platform}.`],
          [!enabled, 'It is disabled.'],
          [cohorts === 0, TO_NO_DEVICE],
          [file === undefined, `There is no file ${id}/bundle.zip. Other archives than zip are not supported.`],
          [isNoRange(targetAppVersion), `${JSON.stringify(targetAppVersion)} is no semver range.`],
        ]),
      };
    });
  return { releases, keys: [], aliases: names.aliases, selfAssigned: new Set() };
};

interface Described {
  readonly notes?: string | null | undefined;
  readonly mandatory?: boolean | null | undefined;
  readonly range?: string | null | undefined;
  readonly percentage?: number | null | undefined;
}

function described({ notes, mandatory, range, percentage }: Described) {
  const text = range?.trim();
  return {
    ...(notes && { notes }),
    ...(mandatory === true && { mandatory }),
    ...(text && text !== '*' && { nativeRange: text }),
    ...(typeof percentage === 'number' && percentage < 100 && { rolloutPercentage: Math.max(1, percentage) }),
  };
}

function isNoRange(text: string | null | undefined): boolean {
  return Boolean(text?.trim()) && parseRange(text ?? '') === undefined;
}

/** The first one that there is. */
function obstacleOf(obstacles: readonly (readonly [applies: boolean, obstacle: string])[]) {
  const obstacle = obstacles.find(([applies]) => applies)?.[1];
  return obstacle === undefined ? {} : { obstacle };
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure({ code: code ?? 'UNREADABLE', message: `The export can't be read: ${message}`, cause: error });
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function readJson<T>(folder: string, name: string, schema: z.ZodType<T>): Promise<T> {
  const path = join(folder, name);
  const text = await readText('export', path);
  let fault: string;
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
    fault = z.prettifyError(parsed.error);
  } catch (error) {
    fault = (error as Error).message;
  }
  throw new Failure({ code: 'NO_EXPORT', message: `${path} is not what was expected: ${fault}` });
}
