import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Build, BuildMetadata, Job } from '@sluice/contracts';
import type { Delivery } from '@sluice/kernel/delivery';
import { type AudienceOptions, audienceOf, withAudience } from './audience-rules';
import { Option, type Command } from './commander';
import { parseChannel, wholeNumber } from './arguments';
import { BUILD, fingerprintOption, nativeRangeOption, ringOption } from './build-commands';
import { mergedMetadata, originOf, parsePair } from './build-origin';
import { bundleForm } from './bundle-form';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { readDelivery } from './delivery-file';
import { Failure, Refusal, UsageError } from './failure';
import { follow } from './follow';
import type { ApiClient } from './http-client';
import { planOption, type Rollout, rolloutOf } from './plan-rules';
import { startProgress } from './progress';
import { nativeVersionsOf } from './init-proposals';
import { findProject, PROJECT_FILE, projectFolder, withDefault } from './project-file';
import { unreadable } from './read-text';
import { zipFolder } from './zip-folder';

const BUILD_PLATFORMS: readonly string[] = ['ios', 'android', 'all'];
/** Instead of a version. */
const NEXT = 'next';
/** Others may take the version in between, or a deleted build may hold it. */
const MAX_UPLOADS = 5;

interface UploadOptions extends AppOptions, AudienceOptions {
  readonly version: string;
  readonly channel: string;
  readonly notes?: string;
  readonly rollout: Rollout;
  readonly ring?: string;
  readonly minNative?: string;
  readonly nativeRange?: string;
  readonly fingerprint?: string;
  readonly platform?: string;
  readonly mandatory?: true;
  readonly signature?: string;
  /** Of a zip that was encrypted before. */
  readonly delivery?: Delivery;
  readonly metadata: BuildMetadata;
}

interface Accepted {
  readonly job_id: string;
  readonly status_url: string;
  readonly build: Pick<Build, 'id' | 'version' | 'channel' | 'status'>;
}

/** Between two looks at a job; the last one repeats. Document 1 asks for about 5 seconds. */
const POLL_DELAYS_MS = [500, 1_000, 2_000, 4_000, 5_000];

/** `sluice upload` */
export function addUploadCommand(program: Command, context: Context): void {
  const channel = new Option(
    '--channel <channel>',
    `channel to release in (default: SLUICE_CHANNEL, then ${PROJECT_FILE})`,
  )
    .argParser(parseChannel)
    .makeOptionMandatory();
  const pairs: (readonly [string, string])[] = [];
  /** Leaves the option's own value to --no-metadata. */
  const addPair = (text: string, noMetadata: unknown) => {
    pairs.push(parsePair(text));
    return noMetadata === false ? false : undefined;
  };
  withAudience(
    withApp(program.command('upload').description('upload a bundle: a zip, or a folder that is zipped first')),
  )
    .argument('[dir|zip]', `folder or zip file (default: the folder in ${PROJECT_FILE})`)
    .requiredOption(
      '--version <version>',
      'version, such as 1.4.0, higher than every active build of the channel; next: the next patch above every version of the channel',
    )
    .addOption(withDefault(channel, 'channel'))
    .option('--notes <text>', 'release notes')
    .option(
      '--rollout <percent>',
      'percentage of devices that are offered the build, 1 to 100 (default: the default rollout of the app for the channel, then 100)',
      wholeNumber(1, 100),
    )
    .addOption(ringOption('per_build'))
    .addOption(planOption())
    .option('--min-native <version>', 'lowest version of the native app that can run the bundle')
    .addOption(nativeRangeOption())
    .addOption(fingerprintOption())
    .addOption(
      new Option('--platform <platform>', 'platform of the devices that can run the bundle (default: all)').choices(
        BUILD_PLATFORMS,
      ),
    )
    .option('--mandatory', 'make the update mandatory')
    .option(
      '--signature <base64>',
      "RSA-SHA256 signature of the zip's bytes (default: the server signs if the app has a signing key)",
    )
    .option(
      '--delivery-file <json>',
      'upload a file that was encrypted before, for clients of Capgo: the file with its session_key and checksum, or the output of @capgo/cli bundle encrypt --json',
    )
    .option(
      '--metadata <key=value>',
      'metadata of the build, such as ticket=APP-12; an empty value removes a pair (repeatable)',
      addPair,
    )
    .option('--no-metadata', 'do not fill in metadata from the CI and git')
    .option('--wait', 'wait until the build is ready; exit with 1 if the bundle is rejected')
    .action(async (given, options) => {
      const source = given ?? projectFolder(context);
      const client = managementClient(options, context);
      proposeNativeRange(options, context);
      const accepted = await withBundle(source, context, async (bundle) => {
        if (options.deliveryFile !== undefined && bundle.path !== source) {
          throw new UsageError('With --delivery-file, pass the encrypted file: a folder is zipped, and not encrypted.');
        }
        const filledIn = options.metadata === false ? {} : await originOf(bundle.folder, context.terminal.env);
        const metadata = mergedMetadata(filledIn, pairs);
        const rollout = await rolloutOf(options, options.channel, client, context);
        const delivery =
          options.deliveryFile === undefined ? {} : { delivery: await readDelivery(options.deliveryFile) };
        if (options.version !== NEXT)
          return upload(client, bundle, { ...options, ...delivery, metadata, rollout }, context);
        return uploadNext(client, bundle, { ...options, ...delivery, metadata, rollout }, context);
      });
      context.output.note(`Accepted as build ${accepted.build.id}.`);
      if (!options.wait) {
        const { build, job_id, status_url } = accepted;
        const shown = { build: build.id, version: build.version, channel: build.channel, status: build.status };
        context.output.result(accepted, () => ({ ...shown, job: job_id, 'status at': status_url }));
        return;
      }
      const job = await finished(client, accepted.job_id, context);
      const path = `${appPath(options.app)}/builds/${accepted.build.id}`;
      const build = await client.call<Build>(`read build ${accepted.build.id}`, 'GET', path);
      if (!context.output.json({ ...accepted, build, job })) context.output.result(build, BUILD);
    });
}

/**
 * Uploads a bundle, with the defaults of `sluice upload` for what is left out, and waits until it is checked.
 * @throws Failure, also for a bundle that was rejected
 */
export async function uploadAndWait(
  source: string,
  given: Pick<UploadOptions, 'app' | 'channel' | 'version'> & Partial<UploadOptions>,
  client: ApiClient,
  context: Context,
): Promise<Build> {
  const { build, job_id } = await withBundle(source, context, async (bundle) => {
    const metadata = given.metadata ?? mergedMetadata(await originOf(bundle.folder, context.terminal.env), []);
    const options = { rollout: {}, ...given, metadata };
    const isNext = options.version === NEXT;
    return isNext ? uploadNext(client, bundle, options, context) : upload(client, bundle, options, context);
  });
  await finished(client, job_id, context);
  return client.call<Build>(`read build ${build.id}`, 'GET', `${appPath(given.app)}/builds/${build.id}`);
}

/** For an upload that leaves open which native apps can run it, from the native project in this folder. */
function proposeNativeRange(
  { minNative, nativeRange, platform }: Pick<UploadOptions, 'minNative' | 'nativeRange' | 'platform'>,
  context: Context,
): void {
  if (minNative !== undefined || nativeRange !== undefined) return;
  const project = findProject(context);
  const folder = project === undefined ? context.terminal.folder : dirname(project.path);
  const found = nativeVersionsOf(folder).filter(
    (native) => platform === undefined || platform === 'all' || native.platform === platform,
  );
  const versions = new Set(found.map(({ version }) => version));
  if (versions.size === 0) return;
  const where = found.map(({ version, file }) => `${version} in ${file}`).join(', ');
  const proposal = [...versions].map((version) => `--native-range ">=${version}"`).join(' or ');
  const each = versions.size > 1 ? ', with --platform' : '';
  context.output.note(
    `The native app is version ${where}. If earlier ones can't run this bundle, upload it with ${proposal}${each}.`,
  );
}

interface Bundle {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Of what the caller named: the folder, or that of the zip. */
  readonly folder: string;
}

/** Gives `use` a zip file; one made from a folder is removed afterwards. */
async function withBundle<T>(source: string, { terminal, output }: Context, use: (bundle: Bundle) => Promise<T>) {
  const facts = await stat(source).catch((error: unknown) => {
    throw unreadable('bundle', error);
  });
  if (!facts.isDirectory()) return use({ path: source, size: facts.size, folder: dirname(resolve(source)) });

  const scratch = await mkdtemp(join(tmpdir(), 'sluice-'));
  try {
    const path = join(scratch, 'bundle.zip');
    const count = await zipFolder(source, path, terminal.signal);
    output.note(`Zipped ${count} ${count === 1 ? 'file' : 'files'} of ${basename(resolve(source))}`);
    return await use({ path, size: (await stat(path)).size, folder: resolve(source) });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function upload(client: ApiClient, bundle: Bundle, options: UploadOptions, context: Context): Promise<Accepted> {
  const progress = await startProgress('Uploading', bundle.size, context);
  const { plan } = options.rollout;
  const audience = audienceOf(options);
  const fields = {
    version: options.version,
    channel: options.channel,
    release_notes: options.notes,
    rollout_percentage: options.rollout.rollout_percentage?.toString(),
    ring: options.ring,
    plan: typeof plan === 'object' ? JSON.stringify(plan) : plan,
    min_native_version: options.minNative,
    native_range: options.nativeRange,
    fingerprint: options.fingerprint,
    platform: options.platform,
    mandatory: options.mandatory && 'true',
    audience: audience && JSON.stringify(audience),
    delivery: options.delivery && JSON.stringify(options.delivery),
    signature: options.signature,
    metadata: Object.keys(options.metadata).length === 0 ? undefined : JSON.stringify(options.metadata),
  };
  try {
    const form = bundleForm(fields, bundle, (bytes) => progress.update(bytes));
    const attempt = `upload version ${options.version} to ${options.channel}`;
    return await client.upload<Accepted>(attempt, `${appPath(options.app)}/builds`, form);
  } finally {
    progress.stop();
  }
}

/** With the version that follows those of the channel, also while others upload to it. */
async function uploadNext(client: ApiClient, bundle: Bundle, options: UploadOptions, context: Context) {
  const { channel, app } = options;
  const builds = await client.list<Build>(`list the builds of ${channel}`, `${appPath(app)}/builds`, { channel });
  const held = builds.filter(({ status }) => status !== 'failed').map(({ version }) => version.split('.').map(Number));
  const order = (one: readonly number[], other: readonly number[]) => {
    const at = one.findIndex((part, index) => part !== other[index]);
    return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
  };
  const [major = 0, minor = 0, patch = 0] = held.sort(order).at(-1) ?? [];
  let version = `${major}.${minor}.${patch + 1}`;
  for (let uploads = 1; ; uploads += 1) {
    try {
      return await upload(client, bundle, { ...options, version }, context);
    } catch (error) {
      const next =
        error instanceof Refusal && error.code === 'VERSION_ALREADY_EXISTS' && error.details?.['next_version'];
      if (typeof next !== 'string' || uploads === MAX_UPLOADS) throw error;
      context.output.note(`Version ${version} was taken meanwhile. The next one is ${next}.`);
      version = next;
    }
  }
}

/** Polls until the job is completed. @throws Failure with the job's error when it failed */
function finished(client: ApiClient, id: string, context: Context): Promise<Job> {
  let status = '';
  const look = async () => {
    const job = await client.call<Job>(`follow the job ${id}`, 'GET', `/jobs/${id}`);
    if (job.status === 'completed') return job;
    if (job.status === 'failed') throw jobFailure(job);
    if (job.status !== status) context.output.note(`The job is ${job.status}`);
    status = job.status;
    return undefined;
  };
  return follow(look, POLL_DELAYS_MS, context);
}

function jobFailure(job: Job): Failure {
  return new Failure({
    attempt: 'make the build ready',
    code: 'JOB_FAILED',
    message: job.error ?? 'The job failed without saying why.',
    advice: 'The version is free again: fix the bundle and upload it again.',
    details: { job },
  });
}
