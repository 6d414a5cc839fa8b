import type {
  Adoption,
  BuildStats,
  Explanation,
  forgetDevice,
  getDevice,
  KeptReport,
  ReplyOf,
} from '@sluice/contracts';
import { collectAttribute, groupsText, ruleText } from './audience-rules';
import { Option, type Command } from './commander';
import { parseId } from './arguments';
import { channelOption } from './build-commands';
import { appPath, managementClient, withApp } from './connection';
import { addPinCommands } from './pin-commands';
import type { Context } from './context';
import { queryOf } from './http-client';
import type { Cell, Columns } from './output';

const BAR_WIDTH = 40;

/** A server of an earlier release returns the first two alone. */
type StoredDevice = Pick<ReplyOf<typeof getDevice>, 'state' | 'reports'> & Partial<ReplyOf<typeof getDevice>>;

/** What `device export` prints as JSON. */
interface ExportedDevice extends Omit<ReplyOf<typeof getDevice>, 'reports'> {
  readonly reports: readonly KeptReport[];
}

/** `sluice stats`, `sluice explain`, `sluice device export`, `sluice device forget`, and the pins of devices */
export function addStatsCommands(program: Command, context: Context): void {
  withApp(
    program
      .command('stats')
      .description('show version adoption, or with --build the offers, downloads and installs of one build'),
  )
    .option('--build <id>', 'show the statistics of this build', parseId)
    .option('--from <day>', 'first day, such as 2026-01-01 (default: 29 days before --to)')
    .option('--to <day>', 'last day, such as 2026-01-31 (default: today, UTC)')
    .action((options) => {
      const client = managementClient(options, context);
      const { app, build, from, to } = options;
      const query = queryOf({ from, to });
      if (build === undefined) {
        return client.show('show the adoption', 'GET', `${appPath(app)}/adoption${query}`, chartOfVersions);
      }
      const path = `${appPath(app)}/builds/${build}/stats${query}`;
      return client.show(`show the stats of build ${build}`, 'GET', path, chartOfBuild);
    });

  withApp(
    program
      .command('explain')
      .description('show which build a device would get, and why it does not get each newer build'),
  )
    .requiredOption('--device <id>', 'device ID')
    .requiredOption('--current <version>', 'version of the bundle that the device runs')
    .addOption(
      new Option('--platform <platform>', 'platform of the device')
        .choices(['ios', 'android', 'web', 'all'])
        .default('all'),
    )
    .addOption(channelOption())
    .option('--native <version>', 'version of the native app on the device')
    .option('--fingerprint <text>', 'fingerprint of the native app on the device')
    .option('--embedded <version>', 'version of the bundle inside the native app on the device')
    .option('--attr <name=value>', 'attribute that the device sends (repeatable)', collectAttribute)
    .action((options) => {
      const { device, current: version, platform, channel, native: app_version, fingerprint, attr } = options;
      const attributes = attr && new URLSearchParams(attr).toString();
      const sent = { app_version, fingerprint, embedded_version: options.embedded, attributes };
      const path = `${appPath(options.app)}/explain${queryOf({ device, version, platform, channel, ...sent })}`;
      return managementClient(options, context).show('explain the update', 'GET', path, describeExplanation);
    });

  const device = program.command('device').description('devices');
  withApp(device.command('export').description('show all data stored about a device; --json prints every field'))
    .argument('<device>', 'device ID, as the device sends it')
    .action(async (id, options) => {
      const client = managementClient(options, context);
      const path = `${appPath(options.app)}/devices/${encodeURIComponent(id)}`;
      const attempt = 'export the device';
      const { state, rolled_back = [], ...more } = await client.call<StoredDevice>(attempt, 'GET', path);
      const { pins = [], channel_pins = [], groups = [], chosen_channel = null } = more;
      const reports = await client.list<KeptReport>(attempt, `${path}/reports`);
      context.output.result<ExportedDevice>(
        { state, rolled_back, pins, channel_pins, groups, chosen_channel, reports },
        describeDevice,
      );
    });

  withApp(device.command('forget').description('delete all data stored about a device'))
    .argument('<device>', 'device ID, as the device sends it')
    .action((device, options) => {
      const path = `${appPath(options.app)}/devices/${encodeURIComponent(device)}`;
      const columns: Columns<ReplyOf<typeof forgetDevice>> = { 'reports deleted': 'deleted' };
      return managementClient(options, context).show('forget the device', 'DELETE', path, columns);
    });
  addPinCommands(device, context);
}

function describeDevice(stored: ExportedDevice): Record<string, Cell> {
  const { state, rolled_back: rolledBack, pins, channel_pins: channelPins, groups, reports } = stored;
  const { chosen_channel: chosen } = stored;
  const isEmpty = [reports, pins, channelPins, groups].every(({ length }) => length === 0);
  if (state === null && chosen === null && isEmpty) {
    return { device: 'nothing is kept' };
  }
  const { build_id, report, status } = state?.last_outcome ?? {};
  return {
    'last seen': state?.last_seen_at,
    version: state?.version,
    'native version': state?.native_version,
    platform: state?.platform,
    'last outcome': report === undefined ? undefined : `${report} of build ${build_id}: ${status}`,
    'rolled back': rolledBack.length === 0 ? undefined : `build ${rolledBack.join(', ')}`,
    pinned:
      [
        ...pins.map(({ build_id, expires_at }) => `to build ${build_id} until ${expires_at}`),
        ...channelPins.map(({ channel, expires_at }) => `in the channel ${channel} until ${expires_at}`),
      ].join(', ') || undefined,
    groups: groups.length === 0 ? undefined : groups.join(', '),
    'chosen channel': chosen === null ? undefined : `${chosen.channel} until ${chosen.expires_at}`,
    reports: reports.length,
    ...Object.fromEntries(reports.map((each, n) => [`report ${n + 1}`, describeReport(each)])),
  };
}

function describeReport({
  at,
  report,
  status,
  build_id,
  version,
  platform,
  native_version,
  error,
  inferred,
}: KeptReport): string {
  const what =
    report === 'active'
      ? ['active with', version, platform, native_version === null ? null : `native ${native_version}`]
      : [report, 'of build', build_id, status, error];
  return [at, ...what, inferred ? '(inferred)' : null].filter((part) => part !== null).join(' ');
}

/** Bars by version, platform and native version, of the last day on which any device was active. */
function chartOfVersions({ days, total, versions, platforms, native_versions }: Adoption): Record<string, string> {
  const last = total.findLastIndex((count) => count > 0);
  if (last < 0) return { devices: 'none reported on these days' };
  const barsOf = (rows: readonly (readonly [name: string, active: readonly number[]])[]) =>
    bars(rows.map(([name, active]) => [name, active[last] ?? 0] as const).filter(([, count]) => count > 0));
  return {
    'active on': days[last] ?? '',
    devices: String(total[last]),
    ...barsOf(versions.map(({ version, active }) => [version ?? 'others', active])),
    ...barsOf(platforms.map(({ platform, active }) => [platform, active])),
    ...barsOf(native_versions.map(({ version, active }) => [`native ${version ?? 'others'}`, active])),
  };
}

/** Each stage of an update in devices, then installs by day. A server of an earlier release returns less. */
function chartOfBuild({
  build_id,
  version,
  channel,
  totals,
  days,
  errors,
  ...more
}: Omit<BuildStats, 'running'> & Partial<Pick<BuildStats, 'running'>>): Record<string, string> {
  const { rolled_back_devices: rolledBack, running } = more;
  const installed = days.filter(({ installs }) => installs > 0).map(({ day, installs }) => [day, installs] as const);
  return {
    build: `${build_id} (${version}, ${channel})`,
    ...bars(
      Object.entries({ ...totals, ...(running !== undefined && { running }) }).map(([name, count]) => [
        name.replaceAll('_', ' '),
        count,
      ]),
    ),
    ...(rolledBack > 0 && {
      'not offered to': `${rolledBack} ${rolledBack === 1 ? 'device' : 'devices'} that rolled it back`,
    }),
    ...(installed.length > 0 && { 'installs by day': '', ...bars(installed) }),
    ...Object.fromEntries(
      errors.map(({ report, error, count, first_at: first, last_at: last }, n) => [
        `error ${n + 1}`,
        `${count}× ${report}: ${error}${first && last ? ` (${first} to ${last})` : ''}`,
      ]),
    ),
  };
}

function bars(counts: readonly (readonly [string, number])[]): Record<string, string> {
  const most = Math.max(1, ...counts.map(([, count]) => count));
  const width = String(most).length;
  return Object.fromEntries(
    counts.map(([label, count]) => [
      label,
      `${String(count).padStart(width)} ${'█'.repeat(Math.ceil((BAR_WIDTH * count) / most))}`.trimEnd(),
    ]),
  );
}

type NewerBuild = Explanation['newer'][number];

function unmetText(unmet: NewerBuild['audience_unmet'][number]): string {
  const what = unmet.of === 'channel' ? 'the channel' : 'it';
  if ('pinned_only' in unmet) return `${what} is for pinned devices`;
  if ('groups' in unmet) return `${what} is for ${groupsText(unmet.groups)}, which the device is not in`;
  const { attribute, rule, value } = unmet;
  return `${what} is for devices with ${ruleText(attribute, rule)}, the device ${value === null ? 'sends none' : `has ${value}`}`;
}

/** A server of an earlier release does not say where the channel is from. */
function channelText({ channel, channel_from: from }: Pick<Explanation, 'channel'> & Partial<Explanation>): string {
  switch (from) {
    case 'self_assigned':
      return `has chosen the channel ${channel}`;
    case 'default':
      return `names no channel: its default is ${channel}`;
    case 'production':
      return `names no channel: ${channel}`;
    default:
      return `asks for ${channel}`;
  }
}

function describeExplanation(explanation: Explanation): Record<string, string> {
  const { offered, newer, version, native_update_required: native, ...asked } = explanation;
  const because = offered?.mandatory_because_of.join(', ') ?? '';
  return {
    device: `runs ${version} on ${asked.platform}, ${channelText(asked)}`,
    offered: offered === null ? 'nothing' : `build ${offered.build_id} (${offered.version})`,
    ...(because !== '' && { mandatory: `because of build ${because}` }),
    ...(native && { 'native update': `to ${native.minimum} at least, for a newer build` }),
    ...Object.fromEntries(
      newer.map((build) => [
        `build ${build.build_id} (${build.version})`,
        build.offered
          ? `offered${build.pinned ? ': the device is pinned to it' : ''}`
          : build.why_not.map((why) => reason(why, build, explanation)).join('; '),
      ]),
    ),
  };
}

function reason(
  why: NewerBuild['why_not'][number],
  build: NewerBuild,
  { platform, app_platform, app_version: appVersion, fingerprint, embedded_version: embedded }: Explanation,
): string {
  switch (why) {
    case 'status':
      return `it is ${build.state}`;
    case 'recalled':
      return 'it is recalled';
    case 'recall_only':
      return 'only devices of a recalled version get it';
    case 'platform':
      return `the app is for ${app_platform}, not ${platform}`;
    case 'native_version':
      return `it needs native ${build.min_native_version ?? ''}, the device has ${appVersion ?? ''}`;
    case 'build_platform':
      return `it is for ${build.platform}`;
    case 'native_range':
      return `it needs native ${build.native_range ?? ''}, the device has ${appVersion ?? ''}`;
    case 'fingerprint':
      return `it needs the fingerprint ${build.fingerprint ?? ''}, the device has ${fingerprint ?? 'none'}`;
    case 'client':
      return 'it is encrypted, and only clients of Capgo can decrypt it';
    case 'embedded_version':
      return `it is not newer than ${embedded ?? ''}, the bundle in the native app`;
    case 'audience':
      return build.audience_unmet.map(unmetText).join('; ');
    case 'halted':
      return 'its rollout is halted';
    case 'rollout':
      return `its rollout is at ${build.rollout_percentage}%, the device at ${build.bucket.toFixed(2)}`;
    case 'rolled_back':
      return 'the device rolled it back';
    case 'newer_offered':
      return 'a newer one is offered';
  }
}
