import type { App, Build, BuildHealth, BuildStats } from '@sluice/contracts';
import { Link } from 'wouter';
import { numbers, rowHead, Table } from '../../../parts/page';
import * as texts from '../../../texts/adoption';
import * as shared from '../../../texts/shared';
import { useHealth } from '../../builds/data';
import { isRecalled, isReplacement } from '../releases/serving';
import { State } from '../releases/state';
import { sum } from './series';

const COLUMNS = [
  [shared.offered, 'offered'],
  [shared.downloads, 'downloads'],
  [shared.failedDownloads, 'download_failures'],
  [shared.installs, 'installs'],
  [shared.failedInstalls, 'install_failures'],
  [shared.rollbacks, 'rollbacks'],
] as const;

/** The reports of a period, a row for each build, with the share of the devices on which it failed. */
export function BuildFigures({
  app,
  stats,
  builds,
}: {
  readonly app: App;
  readonly stats: readonly BuildStats[];
  readonly builds: readonly Build[];
}) {
  const health = useHealth(app);
  return (
    <>
      <Table
        stacks
        label={texts.byBuild}
        rows={stats}
        keyOf={({ build_id: id }) => id}
        columns={[
          [
            rowHead(texts.version),
            ({ build_id: id, version }) => (
              <>
                <Link to={`/apps/${app.id}/builds/${id}`}>{version}</Link>{' '}
                {builds
                  .filter((build) => build.id === id && (isRecalled(build) || isReplacement(build)))
                  .map((build) => (
                    <State key={id} of={build} />
                  ))}
              </>
            ),
          ],
          [
            texts.failureRate,
            (of) => <FailureRate stats={of} health={health?.builds.find(({ build_id: id }) => id === of.build_id)} />,
          ],
          ...COLUMNS.map(
            ([name, member]) =>
              [numbers(name), ({ days }: BuildStats) => <Count of={sum(days.map((day) => day[member]))} />] as const,
          ),
        ]}
      />
      <ul className="legend">
        {[
          ['failed-installs', shared.failedInstalls],
          ['rolled-back', shared.rollbacks],
        ].map(([colour, name]) => (
          <li key={name}>
            <svg width="14" height="14" aria-hidden="true">
              <rect className={colour} width="14" height="14" rx="3" />
            </svg>
            {name}
          </li>
        ))}
      </ul>
      <p className="dim">{texts.byBuildHelp}</p>
    </>
  );
}

interface FailureRateProps {
  readonly stats: Pick<BuildStats, 'totals'>;
  readonly health: BuildHealth | undefined;
}

/** Since the build was created, as its health counts it. Of a build without one, each report counts as a device. */
function FailureRate({ stats: { totals }, health }: FailureRateProps) {
  const { installs, install_failures: failed, rollbacks } = totals;
  const failures = failed + rollbacks;
  const attempts = health?.attempts ?? installs + failures;
  const bad = health?.failed_attempts ?? failures;
  if (attempts === 0) return <span className="dim">–</span>;
  const percent = (100 * bad) / attempts;
  const ofFailed = failures === 0 ? 0 : (percent * failed) / failures;
  return (
    <span className="failure-rate">
      {texts.percentage(Math.round(10 * percent) / 10)}
      <svg width="100%" height="10" aria-hidden="true">
        <rect className="no-failure" width="100%" height="10" rx="2" />
        <rect className="failed-installs" width={`${ofFailed}%`} height="10" />
        <rect className="rolled-back" x={`${ofFailed}%`} width={`${percent - ofFailed}%`} height="10" />
      </svg>
    </span>
  );
}

const Count = ({ of: count }: { readonly of: number }) => (
  <span className={count === 0 ? 'dim' : undefined}>{count.toLocaleString()}</span>
);
