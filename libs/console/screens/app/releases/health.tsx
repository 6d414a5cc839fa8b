import type { App, Build, BuildHealth, Channel, Health } from '@sluice/contracts';
import { Link } from 'wouter';
import { Badge, type Tone } from '../../../parts/values';
import * as texts from '../../../texts/release-health';
import { build as nameOf } from '../../../texts/shared';
import { useBuildHealth, useHealth } from '../../builds/data';
import { State } from './state';
import './health.css';

const TONES: Readonly<Record<Health, Tone>> = { healthy: 'good', watch: 'warn', failing: 'bad', unknown: 'dim' };

export const HealthBadge = ({ of: health }: { readonly of: Health }) => (
  <Badge tone={TONES[health]}>{texts.words[health]}</Badge>
);

interface OfBuild {
  readonly app: Pick<App, 'id'>;
  readonly build: Build;
}

/** The state of a build, and its health if it is one of those that devices may get. */
export function StateAndHealth({ app, build }: OfBuild) {
  const judged = useBuildHealth(app, build.id);
  return (
    <>
      <State of={build} health={judged?.health} />{' '}
      {judged !== undefined && judged.health !== 'unknown' && <HealthBadge of={judged.health} />}
    </>
  );
}

/** Of a channel: how many devices run its builds, and the worst health of those that devices may get. */
export function ChannelHealth({ app, channel }: Pick<OfBuild, 'app'> & { readonly channel: Channel }) {
  const builds = useHealth(app)?.builds.filter((build) => build.channel === channel) ?? [];
  const [first] = builds;
  if (first === undefined || first.channel_devices === 0) return null;
  const offered = builds.filter(({ state }) => state === 'live' || state === 'rolling_out');
  const worst = (['failing', 'watch'] as const).find((health) => offered.some((build) => build.health === health));
  return (
    <p className="dim">
      {texts.channelDevices(first.channel_devices)} {worst !== undefined && <HealthBadge of={worst} />}
    </p>
  );
}

/** What devices report of a build: how many run it, how many failed, and how many of its target it has reached. */
export function HealthLines({ app, build, target }: OfBuild & { readonly target?: number | undefined }) {
  const judged = useBuildHealth(app, build.id);
  if (judged === undefined) return null;
  const { running, installed, failed, rolled_back: rolledBack, attempts, health } = judged;
  const isBad = failed + rolledBack > 0;
  return (
    <div className={`health ${health}`}>
      {target === undefined ? <p>{texts.running(running)}</p> : <Reached of={judged} target={target} />}
      {attempts > 0 && (
        <div className="health-figures">
          <ul>
            <li>{texts.installed(installed)}</li>
            <li className={failed > 0 ? 'bad' : ''}>{texts.failed(failed)}</li>
            <li className={rolledBack > 0 ? 'bad' : ''}>{texts.rolledBack(rolledBack)}</li>
          </ul>
          <Trend of={judged} />
        </div>
      )}
      <p className={health === 'failing' ? 'fault' : 'dim'}>{texts.rate(judged)}</p>
      {isBad && (
        <p>
          <Link
            to={`/apps/${app.id}/builds/${build.id}`}
            aria-label={texts.seeReportsOf(nameOf(build))}
            draggable={false}
          >
            {texts.seeReports}
          </Link>
        </p>
      )}
    </div>
  );
}

/** In a table: how many devices run it, and how many failed. */
export function HealthInShort({ app, build }: OfBuild) {
  const judged = useBuildHealth(app, build.id);
  if (judged === undefined) return null;
  return (
    <p className={judged.health === 'failing' ? 'fault' : 'dim'}>
      {texts.inShort(judged.running)} {texts.rate(judged)}
    </p>
  );
}

/** Of the devices of the channel, those that run the build, with its rollout percentage as a mark. */
function Reached({
  of: { running, channel_devices: devices },
  target,
}: {
  readonly of: BuildHealth;
  readonly target: number;
}) {
  const share = devices === 0 ? 0 : Math.min(100, (100 * running) / devices);
  return (
    <>
      <div className="reached" aria-hidden="true">
        <div className="bar-meter">
          <div style={{ width: `${share}%` }} />
        </div>
        <div className="target" style={{ insetInlineStart: `${target}%` }} />
      </div>
      <p>{texts.reached(running, devices, target)}</p>
    </>
  );
}

const HEIGHT = 24;
const WIDTH = 10;
const GAP = 2;

/** A column for each of the last days: what succeeded, and on top of it what failed or was rolled back. */
function Trend({ of: { days } }: { readonly of: Pick<BuildHealth, 'days'> }) {
  const columns = days.map(({ installed, failed, rolled_back: back }) => ({ good: installed, bad: failed + back }));
  const most = Math.max(1, ...columns.map(({ good, bad }) => good + bad));
  const height = (count: number): number => (count === 0 ? 0 : Math.max(2, (HEIGHT * count) / most));
  const width = days.length * (WIDTH + GAP) - GAP;
  return (
    <svg className="trend" width={width} height={HEIGHT} role="img" aria-label={texts.trend(days)}>
      {columns.map(({ good, bad }, index) => {
        const x = index * (WIDTH + GAP);
        const top = Math.min(HEIGHT, height(bad));
        const rest = Math.min(HEIGHT - top, height(good));
        return (
          <g key={days[index]?.day}>
            <rect className="base" x={x} y={HEIGHT - 1} width={WIDTH} height={1} />
            <rect className="good" x={x} y={HEIGHT - rest} width={WIDTH} height={rest} />
            <rect className="bad" x={x} y={HEIGHT - rest - top} width={WIDTH} height={top} />
          </g>
        );
      })}
    </svg>
  );
}
