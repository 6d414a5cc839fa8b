import type { Build, ReplyOf, recallBuild, RecallPlan, RecallTarget, unrecallBuild } from '@sluice/contracts';
import { InvalidArgumentError, type Command } from './commander';
import { parseId } from './arguments';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { follow } from './follow';
import type { ApiClient } from './http-client';
import { startBar } from './progress';

type Recalled = ReplyOf<typeof recallBuild>;
type Copies = Recalled['also_in'];

interface RecallStatus extends RecallPlan {
  readonly devices: { readonly on_recalled: number; readonly on_replacement: number };
}

/** Between two looks at the devices; the last one repeats. */
const POLL_DELAYS_MS = [1_000, 2_000, 5_000, 10_000];
const BAR = 'Devices {bar} {percentage}%, {left} still report the recalled version';

/** `sluice build recall`, `recall-status`, `unrecall` */
export function addRecallCommands(build: Command, context: Context): void {
  const withBuild = (command: Command) => withApp(command).argument('<build>', 'ID of the build', parseId);
  const pathOf = ({ app }: AppOptions, id: number) => `${appPath(app)}/builds/${id}`;

  withBuild(build.command('recall').description('stop offering a build, and move devices that run it to another build'))
    .requiredOption('--reason <text>', 'what is wrong with the build, such as "white screen"')
    .option(
      '--to <target>',
      'what the devices get: the ID of a build of the channel, embedded (the bundle in their native app) or none (default: the newest build below it that was ever active and that every device of this build can run)',
      parseTarget,
    )
    .option(
      '--version <version>',
      'version under which that build is republished (default: the next patch above every version of the channel)',
    )
    .option('--everywhere', 'also recall builds with the same bundle in the other channels')
    .action((id, { reason, to, version, everywhere, ...options }) => {
      const body = { reason, to, version, everywhere };
      const path = `${pathOf(options, id)}/recall`;
      return managementClient(options, context).show<Recalled>(`recall build ${id}`, 'POST', path, described, body);
    });

  withBuild(
    build.command('recall-status').description('show the progress of a recall, or preview a recall of the build'),
  )
    .option('--wait', 'wait until no device reports the recalled version any more')
    .action(async (id, options) => {
      const client = managementClient(options, context);
      const path = `${pathOf(options, id)}/recall`;
      const read = () => client.call<RecallStatus>(`read the recall of build ${id}`, 'GET', path);
      const status = options.wait ? await untilMoved(read, context) : await read();
      context.output.result(status, progressOf);
    });

  withBuild(build.command('unrecall').description('end a recall; the build stays paused')).action((id, options) =>
    unrecall(managementClient(options, context), id, `${pathOf(options, id)}/unrecall`, context),
  );
}

async function unrecall(client: ApiClient, id: number, path: string, { output }: Context): Promise<void> {
  const reply = await client.call<ReplyOf<typeof unrecallBuild>>(`unrecall build ${id}`, 'POST', path);
  output.result(reply, ({ build }) => ({
    ...{ build: id, version: build?.version, channel: build?.channel },
    status: build?.status ?? 'deleted',
    'next step': build === null ? undefined : `sluice build resume ${id} offers it again`,
  }));
}

function parseTarget(text: string): RecallTarget {
  if (text === 'embedded' || text === 'none') return text;
  try {
    return parseId(text);
  } catch {
    throw new InvalidArgumentError('It must be the ID of a build, embedded or none.');
  }
}

function described({ build, republished, also_in, also_recalled, presigned_until }: Recalled) {
  return {
    ...{ build: build.id, version: build.version, channel: build.channel, recalled: build.recalled_at },
    reason: build.recall_reason,
    'devices get': getOf(build.recall_target, republished),
    'also recalled': listOf(also_recalled),
    'same bundle in': listOf(also_in),
    'presigned URLs until': presigned_until ?? undefined,
    progress: `sluice build recall-status ${build.id}`,
  };
}

function getOf(target: RecallTarget | null, republished: Pick<Build, 'id' | 'version'> | null): string {
  if (target === 'embedded') return 'the bundle in their native app';
  if (republished === null) return 'nothing: they keep it until a newer build is live';
  return `version ${republished.version} (build ${republished.id}), which is build ${target}`;
}

function progressOf(status: RecallStatus) {
  const { build, recalled_at, reason, target, target_version, replacement, also_in, also_recalled, devices } = status;
  const { on_recalled: left, on_replacement: moved } = devices;
  const would = recalled_at === null;
  const get =
    target === null
      ? 'a target must be named: --to'
      : target === 'embedded' || target === 'none'
        ? target
        : `version ${replacement?.version ?? '-'}, which is build ${target}${target_version === null ? '' : ` (${target_version})`}`;
  return {
    ...{ build: build.id, version: build.version, channel: build.channel, recalled: recalled_at ?? 'no' },
    reason: reason ?? undefined,
    [would ? 'devices would get' : 'devices get']: get,
    [`devices on ${build.version}`]: left,
    [`devices on ${replacement?.version ?? '-'}`]: replacement === null || would ? undefined : moved,
    moved: replacement === null || would ? undefined : barOf(moved, left),
    'also recalled': listOf(also_recalled),
    'same bundle in': listOf(also_in),
  };
}

const WIDTH = 20;

/** Such as `█████░░░░░ 50%`. */
function barOf(moved: number, left: number): string {
  const share = moved + left === 0 ? 1 : moved / (moved + left);
  const filled = Math.floor(share * WIDTH);
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${Math.floor(share * 100)}%`;
}

function listOf(copies: Copies): string | undefined {
  return copies.length === 0 ? undefined : copies.map(({ id, channel }) => `${channel} (build ${id})`).join(', ');
}

async function untilMoved(read: () => Promise<RecallStatus>, context: Context): Promise<RecallStatus> {
  const bar = await startBar(BAR, 1, context);
  const look = async () => {
    const status = await read();
    const { on_recalled: left, on_replacement: moved } = status.devices;
    if (status.recalled_at === null || left === 0) return status;
    bar.update(moved, moved + left, { left });
    return undefined;
  };
  return follow(look, POLL_DELAYS_MS, context).finally(() => bar.stop());
}
