import { type Build, type deleteBuild, type ReplyOf, shortCommit } from '@sluice/contracts';
import { audienceOf, audienceText, withAudience } from './audience-rules';
import { Option, type Command } from './commander';
import { parseChannel, parseId, wholeNumber } from './arguments';
import { confirm, withYes } from './confirm';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { UsageError } from './failure';
import { queryOf } from './http-client';
import { cells, formatBytes, type Columns } from './output';
import { PROJECT_FILE, withDefault } from './project-file';
import { addPlanCommands } from './plan-commands';
import { planOption, rolloutOf } from './plan-rules';
import { addRecallCommands } from './recall-commands';

/** Adds the channel of an update check. */
export const channelOption = () =>
  withDefault(
    new Option(
      '--channel <channel>',
      `channel that the device names (default: SLUICE_CHANNEL, then ${PROJECT_FILE}, then the default channel of the app)`,
    ).argParser(parseChannel),
    'channel',
  );

/** In place of --min-native. */
export const nativeRangeOption = () =>
  new Option(
    '--native-range <range>',
    'versions of the native app that can run the bundle, as a semver range such as ">=2.1.0 <3"',
  ).conflicts('minNative');
export const fingerprintOption = () =>
  new Option('--fingerprint <text>', 'fingerprint of the native apps that can run the bundle');
/** Adds which devices a percentage selects. */
export const ringOption = (otherwise: string) =>
  new Option(
    '--ring <ring>',
    `devices that the percentage selects: per_build, or stable for the same ones first each time (default: ${otherwise})`,
  ).choices(['per_build', 'stable'] as const);

/** Without `uploading`, which no build has. */
const STATUSES = ['processing', 'active', 'archived', 'failed', 'paused'];

/** `sluice build …` */
export function addBuildCommands(program: Command, context: Context): void {
  const build = program.command('build').description('builds');
  const withBuild = (command: Command) => withApp(command).argument('<build>', 'ID of the build', parseId);
  const pathOf = ({ app }: AppOptions) => `${appPath(app)}/builds`;

  withBuild(build.command('show').description('show a build'))
    .option('--as-of <time>', 'show the build as it was at this time, such as 2026-01-31T12:00:00Z (default: now)')
    .action((id, options) => {
      const path = `${pathOf(options)}/${id}${queryOf({ as_of: options.asOf })}`;
      return managementClient(options, context).show<ShownBuild>(`show build ${id}`, 'GET', path, (found) => ({
        ...Object.fromEntries(cells(found, { ...BUILD, ...DETAILS })),
        ...Object.fromEntries(Object.entries(found.metadata ?? {}).map(([key, value]) => [`metadata ${key}`, value])),
      }));
    });

  withApp(build.command('list').description('list builds, newest first'))
    .addOption(new Option('--channel <channel>', 'list only builds of this channel').argParser(parseChannel))
    .addOption(new Option('--status <status>', 'list only builds with this status').choices(STATUSES))
    .option('--as-of <time>', 'list the builds as they were at this time, such as 2026-01-31T12:00:00Z (default: now)')
    .action(({ channel, status, asOf, ...options }) => {
      const columns: Columns<ShownBuild> = {
        ...{ id: 'id', version: 'version', channel: 'channel', state: buildState, mandatory: 'mandatory' },
        size: (shown) => shown.file_size && formatBytes(shown.file_size),
        commit: ({ metadata }) => shortCommit(metadata?.['commit']),
        created: 'created_at',
      };
      const query = { channel, status, as_of: asOf };
      return managementClient(options, context).table('list the builds', pathOf(options), columns, query);
    });

  withAudience(withBuild(build.command('promote').description('release the bundle of a build in another channel')))
    .addOption(new Option('--to <channel>', 'target channel').argParser(parseChannel).makeOptionMandatory())
    .option(
      '--rollout <percent>',
      'percentage of devices that are offered the build, 0 to 100 (default: the default rollout of the app for the channel, then 100)',
      wholeNumber(0, 100),
    )
    .addOption(ringOption('same as the source build'))
    .addOption(planOption())
    .option('--mandatory', 'make the promoted build mandatory (default: same as the source build)')
    .action(async (id, { to, mandatory, ring, ...options }) => {
      const audience = audienceOf(options);
      const client = managementClient(options, context);
      const rollout = await rolloutOf(options, to, client, context);
      const body = { target_channel: to, ...rollout, mandatory, ring, audience };
      await client.show(`promote build ${id} to ${to}`, 'POST', `${pathOf(options)}/${id}/promote`, BUILD, body);
    });

  withBuild(
    build.command('rollout').description('set the rollout percentage of a build, or halt and resume its rollout'),
  )
    .option('--percentage <percent>', 'percentage of devices that are offered the build, 0 to 100', wholeNumber(0, 100))
    .addOption(ringOption('no change'))
    .addOption(new Option('--halt', 'stop offering the build to any device; keeps the percentage').conflicts('resume'))
    .option('--resume', 'end a halt and continue at the same percentage')
    .action((id, options) => {
      const { percentage, ring, halt, resume } = options;
      if (percentage === undefined && ring === undefined && !halt && !resume) {
        throw new UsageError('Pass --percentage, --ring, --halt or --resume.');
      }
      const body = { rollout_percentage: percentage, ring, ...((halt || resume) && { enabled: resume === true }) };
      const attempt = `change the rollout of build ${id}`;
      return managementClient(options, context).show(attempt, 'PATCH', `${pathOf(options)}/${id}/rollout`, BUILD, body);
    });

  withBuild(
    build
      .command('edit')
      .description('change the release notes of a build, or which devices can run it; the value none removes a limit'),
  )
    .option('--notes <text>', 'release notes')
    .option('--min-native <version>', 'lowest version of the native app that can run the bundle')
    .addOption(nativeRangeOption())
    .addOption(fingerprintOption())
    .action((id, options) => {
      const { notes, minNative, nativeRange, fingerprint } = options;
      const given = { release_notes: notes, min_native_version: minNative, native_range: nativeRange, fingerprint };
      const changes = Object.entries(given).filter(([, value]) => value !== undefined);
      if (changes.length === 0) throw new UsageError('Pass --notes, --min-native, --native-range or --fingerprint.');
      const body = Object.fromEntries(changes.map(([name, value]) => [name, value === 'none' ? null : value]));
      const columns = { ...BUILD, ...DETAILS };
      return managementClient(options, context).show(
        `edit build ${id}`,
        'PATCH',
        `${pathOf(options)}/${id}`,
        columns,
        body,
      );
    });

  withAudience(
    withBuild(
      build.command('audience').description('set which devices a build is for; its rollout is a percentage of them'),
    ),
  )
    .addOption(new Option('--all', 'offer the build to all devices').conflicts(['group', 'attribute', 'pinnedOnly']))
    .action((id, options) => {
      const audience = options.all === true ? null : audienceOf(options);
      if (audience === undefined) throw new UsageError('Pass --group, --attribute, --pinned-only or --all.');
      const path = `${pathOf(options)}/${id}`;
      return managementClient(options, context).show(`set the audience of build ${id}`, 'PATCH', path, BUILD, {
        audience,
      });
    });

  const statusCommands = [
    ['pause', 'paused', 'stop offering a build to any device until "build resume"'],
    ['resume', 'active', 'offer a paused or archived build again'],
    ['archive', 'archived', 'stop offering a build and mark it as archived; "build resume" undoes this'],
  ] as const;
  for (const [verb, status, description] of statusCommands) {
    withBuild(build.command(verb).description(description)).action((id, options) => {
      const path = `${pathOf(options)}/${id}`;
      return managementClient(options, context).show(`${verb} build ${id}`, 'PATCH', path, BUILD, { status });
    });
  }

  withBuild(build.command('retry').description('offer a build again to the devices that rolled it back')).action(
    (id, options) => {
      const path = `${pathOf(options)}/${id}/retry`;
      return managementClient(options, context).show(`retry build ${id}`, 'POST', path, BUILD);
    },
  );

  addRecallCommands(build, context);
  addPlanCommands(build, context);

  withYes(
    withBuild(build.command('delete').description('delete a build permanently; builds promoted from it stay')),
  ).action(async (id, options) => {
    const client = managementClient(options, context);
    const attempt = `delete build ${id}`;
    const path = `${pathOf(options)}/${id}`;
    await confirm(attempt, 'Nothing was deleted.', options, context, async () => {
      const found = await client.call<Build>(attempt, 'GET', path);
      return `Delete build ${id} (${found.version}, ${found.channel}, ${buildState(found)}) permanently?`;
    });
    const columns = { build: 'id', deleted: 'deleted' } as const;
    await client.show<ReplyOf<typeof deleteBuild>>(attempt, 'DELETE', path, columns);
  });
}

/** A server of an earlier release returns no metadata and no audience. */
type ShownBuild = Omit<Build, 'metadata' | 'audience'> & Partial<Pick<Build, 'metadata' | 'audience'>>;

/** In the words of the console, such as `rolling out 20%`. */
function buildState({ state, rollout_percentage: percentage, recalled_at, recall_of }: ShownBuild): string {
  if (typeof recalled_at === 'string') return 'recalled';
  if (typeof recall_of === 'number' && state === 'live') return 'for a recall';
  return state === 'rolling_out' ? `rolling out ${percentage ?? 100}%` : state;
}

export const BUILD: Columns<ShownBuild> = {
  ...{ build: 'id', version: 'version', channel: 'channel', state: buildState },
  rollout: (build) => (build.rollout_percentage === null ? null : `${build.rollout_percentage}%`),
  audience: ({ audience }) => audienceText(audience),
  mandatory: 'mandatory',
  size: (build) => (build.file_size === null ? undefined : formatBytes(build.file_size)),
  'SHA-256': (build) => build.checksum ?? undefined,
  signed: (build) => build.signature !== null,
};

const DETAILS: Columns<ShownBuild> = {
  ring: (build) => (build.ring === 'stable' ? build.ring : undefined),
  'release notes': (build) => build.release_notes ?? undefined,
  'native version from': (build) => build.min_native_version ?? undefined,
  'native range': (build) => build.native_range ?? undefined,
  fingerprint: (build) => build.fingerprint ?? undefined,
  platform: (build) => (build.platform === 'all' ? undefined : build.platform),
  encrypted: (build) => ((build.delivery ?? null) === null ? undefined : 'for clients of Capgo'),
  'promoted from': (build) => build.promoted_from_id ?? undefined,
  recalled: (build) => build.recalled_at ?? undefined,
  'recall reason': (build) => build.recall_reason ?? undefined,
  'recall target': (build) => build.recall_target ?? undefined,
  'replaces the recalled build': (build) => build.recall_of ?? undefined,
  'republished from': (build) => build.republished_from_id ?? undefined,
  ...{ created: 'created_at', updated: 'updated_at' },
};
