import type { AppDevices, AppOverview, Health, OpenPlan } from '@sluice/contracts';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Badge, type Tone } from '../../parts/values';
import { compareVersions } from '../builds/versions';
import { HealthBadge } from '../app/releases/health';
import { State } from '../app/releases/state';
import * as texts from '../../texts/apps';
import { stoppedSign } from '../../texts/plan';
import { sign } from '../../texts/release-health';

type Served = AppDevices['channels'][number];

/** What a channel serves, such as `2.5.0 Rolling out 25%`. */
export function Serves({ build, health }: { readonly build: Served['build']; readonly health: Health | undefined }) {
  if (build === null) return <span className="dim">{texts.notServing}</span>;
  return (
    <>
      <strong>{build.version}</strong> {build.state !== 'live' && <State of={build} health={health} />}{' '}
      {(health === 'failing' || health === 'watch') && <HealthBadge of={health} />}{' '}
      {build.mandatory && <Badge tone="dim">{texts.mandatory}</Badge>}
    </>
  );
}

type JudgedBuild = NonNullable<AppOverview['health']>[number];

/** Undefined while it is unavailable. */
export const healthOf = ({ health }: AppOverview, build: Served['build']): Health | undefined =>
  health?.find(({ build_id: id }) => id === build?.id)?.health;

/** Builds that fail on too many devices, and that are still offered: not those that are recalled or replaced. */
export const failingBuilds = ({ devices, health }: AppOverview): readonly JudgedBuild[] =>
  (health ?? []).filter(
    (build) =>
      build.health === 'failing' && isOffered(build) && !(isReplaced(devices, build) && newestIsLive(devices, build)),
  );

const isOffered = ({ state }: JudgedBuild): boolean => state === 'live' || state === 'rolling_out';

/** Otherwise older builds serve the devices that the newest one leaves out. */
const newestIsLive = (devices: AppDevices | null, { channel: name }: JudgedBuild): boolean =>
  devices?.channels.find(({ channel }) => channel === name)?.build?.state === 'live';

/** How many devices reported their version today; null while that is unavailable. */
export function Devices({ devices }: { readonly devices: AppDevices | null }) {
  if (devices === null) return <span className="dim">{texts.unavailable}</span>;
  const { active_today: today, active_yesterday: yesterday } = devices;
  return (
    <>
      <span className="whole">{texts.today(today)}</span> ·{' '}
      <span className="dim whole">{texts.yesterday(yesterday)}</span>
    </>
  );
}

interface Sign {
  readonly tone: Tone;
  readonly words: string;
  /** The screen of the app with the details. */
  readonly at: string;
}

/** Whether a newer build of the channel is live, so that nothing is left to do. */
function isReplaced(devices: AppDevices | null, { version, channel }: Pick<OpenPlan, 'version' | 'channel'>): boolean {
  const served = devices?.channels.find((each) => each.channel === channel)?.build?.version;
  return served !== undefined && compareVersions(served, version) > 0;
}

/** Plans that a person should look at: those that are held, and those that stopped their builds. */
export const stoppedPlans = ({ devices, plans }: AppOverview): readonly OpenPlan[] =>
  (plans ?? []).filter((plan) => plan.status === 'held' || (plan.status === 'failed' && !isReplaced(devices, plan)));

/** What an owner should look at, the worst first; nothing where all is well. */
export function signsOf(app: AppOverview): readonly Sign[] {
  const { devices, builds, blocked } = app;
  const signs: Sign[] = failingBuilds(app).map((build) => ({
    ...{ tone: 'bad', words: sign(build), at: `/builds/${build.build_id}` },
  }));
  const add = (count: number, tone: Tone, words: (count: number) => string, at: string): void => {
    if (count > 0) signs.push({ tone, words: words(count), at });
  };
  add(devices?.install_failures ?? 0, 'bad', texts.failedInstalls, '/adoption');
  add(devices?.rollbacks ?? 0, 'bad', texts.rollbacks, '/adoption');
  for (const { id, version, channel, recall_reason: reason } of builds?.recalled ?? []) {
    if (isReplaced(devices, { version, channel })) continue;
    signs.push({ tone: 'bad', words: texts.recalled({ version, channel }, reason ?? ''), at: `/builds/${id}` });
  }
  for (const plan of stoppedPlans(app)) {
    const tone = plan.because === 'failed' ? 'bad' : 'warn';
    signs.push({ tone, words: stoppedSign(plan), at: `/builds/${plan.build_id}` });
  }
  add(builds?.failed ?? 0, 'bad', texts.failedBuilds, '/builds?status=failed');
  add(blocked?.count ?? 0, 'warn', texts.blockedRequests, '/api-keys');
  add(builds?.processing ?? 0, 'busy', texts.checkedBuilds, '');
  return signs;
}

/** The signs of an app, each a link to the details. */
export function Signs({ app, none }: { readonly app: AppOverview; readonly none: ReactNode }) {
  const signs = signsOf(app);
  if (signs.length === 0) return none;
  return (
    <span className="signs">
      {signs.map(({ tone, words, at }) => (
        <Link key={words} to={`/apps/${app.id}${at}`}>
          <Badge tone={tone}>{words}</Badge>
        </Link>
      ))}
    </span>
  );
}
