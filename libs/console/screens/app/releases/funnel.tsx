import type { BuildHealth, BuildStats } from '@sluice/contracts';
import { Link, useLocation } from 'wouter';
import * as texts from '../../../texts/build-stats';

interface Stage {
  readonly name: string;
  readonly devices: number;
  /** What became of devices that did not get to the next stage. */
  readonly lost: readonly Loss[];
}

interface Loss {
  readonly words: string;
  /** Of its reports. */
  readonly phase: Phase | undefined;
}

export type Phase = BuildStats['errors'][number]['report'];

export interface FunnelProps {
  readonly stats: BuildStats;
  readonly health: BuildHealth | undefined;
}

/** How many devices got how far, each counted once in each stage. A loss with errors is a link to them. */
export function Funnel({ stats: { totals, running, errors }, health }: FunnelProps) {
  const [location] = useLocation();
  const { offered, downloads, installs, rollbacks } = totals;
  const { download_failures: failedDownloads, install_failures: failedInstalls } = totals;
  // Most clients report a rollback in place of the install, others after it.
  const twice = installs + failedInstalls + rollbacks - (health?.attempts ?? Infinity);
  const rolledBackLater = Math.min(rollbacks, Math.max(0, twice));
  const lost = (count: number, words: (count: number) => string, phase?: Phase): Loss[] =>
    count > 0 ? [{ words: words(count), phase: errors.find(({ report }) => report === phase)?.report }] : [];
  const stages: readonly Stage[] = [
    { name: texts.offered, devices: offered, lost: lost(failedDownloads, texts.failedDownloads, 'download') },
    {
      name: texts.downloaded,
      devices: downloads,
      lost: [...lost(failedInstalls, texts.failedInstalls, 'install'), ...lost(rollbacks, texts.rollbacks, 'rollback')],
    },
    {
      name: texts.installed,
      devices: installs,
      lost: lost(installs - rolledBackLater - running, texts.noLonger),
    },
    { name: texts.running, devices: running, lost: [] },
  ];
  const most = Math.max(1, ...stages.map(({ devices }) => devices));
  return (
    <ol className="funnel" aria-label={texts.funnel}>
      {stages.map(({ name, devices, lost: drops }, at) => {
        const before = stages[at - 1];
        return (
          <li key={name}>
            <span className="dim">{name}</span>
            <span>
              <strong>{devices.toLocaleString()}</strong>{' '}
              {before !== undefined && before.devices > 0 && devices <= before.devices && (
                <span>{texts.percentOfStage(devices, before.devices, before.name)}</span>
              )}
            </span>
            <span className="share" aria-hidden="true">
              <span style={{ inlineSize: `${(100 * devices) / most}%` }} />
            </span>
            {drops.map(({ words, phase }) => (
              <small key={words} className="lost">
                {phase === undefined ? words : <Link to={`${location}?errors=${phase}`}>{words}</Link>}
              </small>
            ))}
          </li>
        );
      })}
    </ol>
  );
}
