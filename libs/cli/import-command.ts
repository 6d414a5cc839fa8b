import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { App, AppChannel, ApiKey, Build } from '@sluice/contracts';
import { isStandardChannel } from '@sluice/kernel/channels';
import { parseVersion } from '@sluice/kernel/version';
import { InvalidArgumentError, Option, type Command } from './commander';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import {
  readCapgo,
  readCodePush,
  readHotUpdater,
  type Export,
  type ExportedKey,
  type ExportedRelease,
  type ReadExport,
} from './exports';
import { ExitCode, Failure, Refusal, UnreachableError } from './failure';
import { send, type ApiClient } from './http-client';
import type { Columns } from './output';
import { uploadAndWait } from './upload-command';

const SERVICES: readonly (readonly [name: string, read: ReadExport, description: string])[] = [
  [
    'codepush',
    readCodePush,
    'import the releases and deployment keys of a CodePush server: deployments.json, and NAME.json for the history of each deployment',
  ],
  [
    'capgo',
    readCapgo,
    'import what the channels of Capgo serve: channels.json, bundles.json, and VERSION.zip for each bundle',
  ],
  ['hot-updater', readHotUpdater, 'import the bundles of hot-updater: a copy of its bucket'],
];

/** Metadata of an imported build: what it is in the export. A repeated import finds it by this. */
const IMPORTED_FROM = 'imported_from';

interface ImportOptions extends AppOptions {
  readonly versions: string;
  readonly platform?: 'ios' | 'android';
  readonly dryRun?: true;
}

interface Step {
  readonly action: 'import' | 'present' | 'skip';
  readonly what: string;
  readonly channel: string;
  readonly version: string | null;
  readonly note: string | null;
}

const STEPS: Columns<Step> = { action: 'action', what: 'what', channel: 'channel', version: 'version', note: 'note' };

/** `sluice import …` */
export function addImportCommands(program: Command, context: Context): void {
  const command = program.command('import').description('import apps of another update service from its export');
  for (const [name, read, description] of SERVICES) {
    withApp(command.command(name).description(description))
      .argument('<folder>', 'folder with the export')
      .option('--dry-run', 'print what would be imported, and change nothing')
      .option(
        '--versions <major.minor>',
        'major and minor version of releases that have only a number, such as v12 (codepush, hot-updater)',
        parseLine,
        '1.0',
      )
      .addOption(
        new Option(
          '--platform <platform>',
          'platform of the app, for services that have one app for each (default: all)',
        ).choices(['ios', 'android']),
      )
      .action(async (folder, options) => {
        const { platform, versions } = options as ImportOptions;
        await importExport(await read(folder, { versions, platform }), options, context);
      });
  }
}

async function importExport(found: Export, options: ImportOptions, context: Context): Promise<void> {
  const { output } = context;
  const path = appPath(options.app);
  const client = managementClient(options, context);
  const app = await client.call<App>(`read the app ${options.app}`, 'GET', path);
  const channels = await client.list<AppChannel>('list the channels', `${path}/channels`);
  const builds = await client.list<Build>('list the builds', `${path}/builds`);
  const isMissing = (name: string) => !isStandardChannel(name) && !channels.some((channel) => channel.name === name);
  const wanted = [...new Set([...found.releases, ...found.keys].map(({ channel }) => channel))].filter(isMissing);
  const keys = await missingKeys(found.keys, { path, isMissing, client });
  const aliases = Object.entries(found.aliases).filter(([alias, channel]) => app.channel_aliases[alias] !== channel);
  const releases = found.releases.map((release) => ({ release, step: stepOf(release, builds) }));
  const plan: Step[] = [
    ...wanted.map((channel) => other('channel', channel)),
    ...aliases.map(([alias, channel]) => other(`alias ${alias}`, channel)),
    ...releases.map(({ step }) => step),
    ...keys.map(({ name, channel }) => other(`key ${name}`, channel)),
  ];
  const pending = plan.filter(({ action }) => action === 'import').length;
  if (options.dryRun) {
    if (output.json({ steps: plan, failed: [], dry_run: true })) return;
    await output.list(plan, STEPS);
    output.note(`To import: ${pending} of ${plan.length}.`);
    return;
  }

  for (const name of wanted) {
    const body = { name, ...(found.selfAssigned.has(name) && { self_assign: true }) };
    await client.call(`add the channel ${name}`, 'POST', `${path}/channels`, body);
    output.note(`Added the channel ${name}.`);
  }
  if (aliases.length > 0) {
    await client.call('set the channel aliases', 'PATCH', path, { channel_aliases: Object.fromEntries(aliases) });
    output.note(`Set ${aliases.length} channel aliases.`);
  }
  const failed: { readonly what: string; readonly message: string }[] = [];
  const due = releases.filter(({ step }) => step.action === 'import');
  for (const [index, { release }] of due.entries()) {
    output.note(`[${index + 1}/${due.length}] ${release.source} as ${release.version} in ${release.channel}`);
    try {
      await importRelease(release, options, client, context);
    } catch (error) {
      if (context.terminal.signal.aborted || !isOfRelease(error)) throw error;
      output.note(`${error.code}: ${error.message}`);
      failed.push({ what: release.source, message: error.message });
    }
  }
  // Last, and only after all releases: devices with these keys are not to get an older one than they run.
  const created = failed.length === 0 ? keys : [];
  if (created.length < keys.length) output.note('The keys are created once no release fails. Repeat the command.');
  for (const { name, key, channel } of created) {
    const body = { name, key, ...(options.platform && { platform: options.platform }) };
    await client.call(`import the key ${name}`, 'POST', `${path}/channels/${channel}/keys`, body);
    output.note(`Imported the key ${name}.`);
  }
  if (!output.json({ steps: plan, failed, dry_run: false })) {
    await output.list(
      plan.filter(({ action }) => action === 'skip'),
      STEPS,
    );
    output.note(
      `Imported: ${pending - failed.length - (keys.length - created.length)} of ${plan.length}. Failed: ${failed.length}.`,
    );
  }
  if (failed.length > 0) throw new ExitCode(1);
}

/** A fault of one release leaves the others; any other fault would meet them as well. */
function isOfRelease(error: unknown): error is Failure {
  if (!(error instanceof Failure) || error instanceof UnreachableError) return false;
  return error instanceof Refusal ? [409, 413, 422].includes(error.status) : error.exitCode === 1;
}

function stepOf(release: ExportedRelease, builds: readonly Build[]): Step {
  const { source, channel, version, platform = 'all', obstacle } = release;
  const step = { what: source, channel, version };
  const held = builds.filter(({ status }) => status !== 'failed');
  if (held.some(({ metadata }) => metadata[IMPORTED_FROM] === source))
    return { action: 'present', ...step, note: null };
  const newer = held.find(
    (build) =>
      build.status === 'active' &&
      build.channel === channel &&
      (build.platform === platform || [build.platform, platform].includes('all')) &&
      isAtLeast(build.version, version),
  );
  const note = obstacle ?? (newer && `The channel has version ${newer.version}.`);
  return { action: note === undefined ? 'import' : 'skip', ...step, note: note ?? null };
}

function isAtLeast(one: string, other: string): boolean {
  const [version, least] = [parseVersion(one), parseVersion(other)];
  return version !== undefined && least !== undefined && version.compare(least) >= 0;
}

const other = (what: string, channel: string): Step => ({ action: 'import', what, channel, version: null, note: null });

/** A key that has the name of one of the channel was imported before. */
async function missingKeys(
  keys: readonly ExportedKey[],
  { path, isMissing, client }: { path: string; isMissing: (name: string) => boolean; client: ApiClient },
): Promise<readonly ExportedKey[]> {
  const missing: ExportedKey[] = [];
  for (const key of keys) {
    const known = isMissing(key.channel)
      ? []
      : await client.list<ApiKey>(`list the keys of ${key.channel}`, `${path}/channels/${key.channel}/keys`);
    if (!known.some(({ name }) => name === key.name)) missing.push(key);
  }
  return missing;
}

async function importRelease(
  release: ExportedRelease,
  { app }: AppOptions,
  client: ApiClient,
  context: Context,
): Promise<void> {
  const { source, channel, version, file, url, rolloutPercentage, ...fields } = release;
  const upload = (path: string) => {
    const rollout = rolloutPercentage === undefined ? {} : { rollout_percentage: rolloutPercentage };
    const options = { app, channel, version, rollout, metadata: { [IMPORTED_FROM]: source }, ...fields };
    return uploadAndWait(path, options, client, context);
  };
  if (file !== undefined) {
    await upload(file);
    return;
  }
  const scratch = await mkdtemp(join(tmpdir(), 'sluice-import-'));
  try {
    const path = join(scratch, 'bundle.zip');
    await fetchInto(path, url ?? '', context);
    await upload(path);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function fetchInto(path: string, url: string, { terminal }: Context): Promise<void> {
  const attempt = 'download a bundle of the export';
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new Failure({ attempt, code: 'NO_ADDRESS', message: `${JSON.stringify(url)} is no http or https address.` });
  }
  const { signal } = terminal;
  const { body } = await send(attempt, url, { signal, redirect: 'follow' }).catch((error: unknown) => {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    // Of that server, and not of Sluice.
    throw new Failure({ attempt, code: error.code, message: error.message, cause: error });
  });
  await pipeline(body === null ? [] : Readable.fromWeb(body as never), createWriteStream(path), { signal });
}

function parseLine(text: string): string {
  if (/^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/.test(text)) return text;
  throw new InvalidArgumentError('It must be two numbers, such as 1.0.');
}
