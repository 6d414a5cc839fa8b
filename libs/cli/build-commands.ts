import type { Build, deleteBuild, ReplyOf } from '@sluice/contracts';
import { Option, type Command } from './commander';
import { parseId, wholeNumber } from './arguments';
import { confirm, mayAsk } from './confirm';
import { appPath, managementClient, withToken, type AppOptions } from './connection';
import type { Context } from './context';
import { UsageError } from './failure';
import { formatBytes, type Cell } from './output';

export const CHANNELS = ['production', 'staging', 'development'];
const STATUSES = ['uploading', 'processing', 'active', 'archived', 'failed', 'paused'];

/** `sluice build …` */
export function addBuildCommands(program: Command, context: Context): void {
  const build = program.command('build').description('builds');
  const withApp = (command: Command) =>
    withToken(command).requiredOption('--app <id>', 'id or app id of the app the build belongs to');
  const withBuild = (command: Command) => withApp(command).argument('<build>', 'id of the build', parseId);
  const pathOf = ({ app }: AppOptions) => `${appPath(app)}/builds`;

  withBuild(build.command('show').description('show a build'))
    .option('--as-of <time>', 'as it stood then, such as 2026-01-31T12:00:00Z (default: now)')
    .action(async (id, options) => {
      const client = managementClient(options, context);
      const query = options.asOf === undefined ? '' : `?${new URLSearchParams({ as_of: options.asOf }).toString()}`;
      const shown = await client.call<Build>(`show build ${id}`, 'GET', `${pathOf(options)}/${id}${query}`);
      context.output.result(shown, (found) => ({
        ...describeBuild(found),
        'release notes': found.release_notes ?? undefined,
        'native version from': found.min_native_version ?? undefined,
        'promoted from': found.promoted_from_id ?? undefined,
        created: found.created_at,
        updated: found.updated_at,
      }));
    });

  withApp(build.command('list').description('list builds, newest first'))
    .addOption(new Option('--channel <channel>', 'only of this channel').choices(CHANNELS))
    .addOption(new Option('--status <status>', 'only with this status').choices(STATUSES))
    .option('--as-of <time>', 'as they stood then, such as 2026-01-31T12:00:00Z (default: now)')
    .action(async ({ channel, status, asOf, ...options }) => {
      const client = managementClient(options, context);
      const query = { channel, status, as_of: asOf };
      await context.output.list(await client.list<Build>('list the builds', pathOf(options), query), {
        id: (shown) => shown.id,
        version: (shown) => shown.version,
        channel: (shown) => shown.channel,
        state: buildState,
        mandatory: (shown) => shown.mandatory,
        size: (shown) => shown.file_size && formatBytes(shown.file_size),
        created: (shown) => shown.created_at,
      });
    });

  withBuild(build.command('promote').description('release the bundle of a build in another channel'))
    .addOption(new Option('--to <channel>', 'the channel').choices(CHANNELS).makeOptionMandatory())
    .option('--rollout <percent>', '0 to 100 (default: 100)', wholeNumber(0, 100))
    .option('--mandatory', "force the update (default: as the build's)")
    .action(async (id, options) => {
      const client = managementClient(options, context);
      const attempt = `promote build ${id} to ${options.to}`;
      const promoted = await client.call<Build>(attempt, 'POST', `${pathOf(options)}/${id}/promote`, {
        target_channel: options.to,
        rollout_percentage: options.rollout,
        mandatory: options.mandatory,
      });
      context.output.result(promoted, describeBuild);
    });

  withBuild(build.command('rollout').description('how many of the devices are offered a build'))
    .option('--percentage <percent>', '0 to 100', wholeNumber(0, 100))
    .addOption(new Option('--halt', 'offer it to no further device until it is resumed').conflicts('resume'))
    .option('--resume', 'go on from the same percentage')
    .action(async (id, options) => {
      const { percentage, halt, resume } = options;
      if (percentage === undefined && !halt && !resume) {
        throw new UsageError('Say what to change: --percentage, --halt or --resume.');
      }
      const client = managementClient(options, context);
      const attempt = `change the rollout of build ${id}`;
      const changed = await client.call<Build>(attempt, 'PATCH', `${pathOf(options)}/${id}/rollout`, {
        rollout_percentage: percentage,
        ...((halt || resume) && { enabled: resume === true }),
      });
      context.output.result(changed, describeBuild);
    });

  const statusCommands = [
    ['pause', 'paused', 'serve a build to no device until it is resumed'],
    ['resume', 'active', 'serve a paused build again'],
    ['archive', 'archived', 'take a build out of service'],
  ] as const;
  for (const [verb, status, description] of statusCommands) {
    withBuild(build.command(verb).description(description)).action(async (id, options) => {
      const client = managementClient(options, context);
      const changed = await client.call<Build>(`${verb} build ${id}`, 'PATCH', `${pathOf(options)}/${id}`, {
        status,
      });
      context.output.result(changed, describeBuild);
    });
  }

  withBuild(build.command('delete').description('delete a build for ever; builds promoted from it stay'))
    .option('--yes', 'do not ask, which a terminal does without --json')
    .action(async (id, options) => {
      const client = managementClient(options, context);
      const attempt = `delete build ${id}`;
      const path = `${pathOf(options)}/${id}`;
      if (mayAsk(options, context)) {
        const found = await client.call<Build>(attempt, 'GET', path);
        const question = `Delete build ${id} (${found.version}, ${found.channel}, ${buildState(found)}) for ever?`;
        await confirm(attempt, question, 'Nothing was deleted.', context);
      }
      const deleted = await client.call<ReplyOf<typeof deleteBuild>>(attempt, 'DELETE', path);
      context.output.result(deleted, (shown) => ({ build: shown.id, deleted: shown.deleted }));
    });
}

/** In the words of the console, such as `rolling out 20 %`. */
function buildState({ state, rollout_percentage: percentage }: Build): string {
  return state === 'rolling_out' ? `rolling out ${percentage ?? 100} %` : state;
}

export function describeBuild(build: Build): Record<string, Cell> {
  return {
    build: build.id,
    version: build.version,
    channel: build.channel,
    state: buildState(build),
    rollout: build.rollout_percentage === null ? null : `${build.rollout_percentage} %`,
    mandatory: build.mandatory,
    size: build.file_size === null ? undefined : formatBytes(build.file_size),
    'SHA-256': build.checksum ?? undefined,
    signed: build.signature !== null,
  };
}
