import type { App, Build, BuildStats } from '@sluice/contracts';
import { Link } from 'wouter';
import { numbers, rowHead, Table } from '../../../parts/page';
import * as texts from '../../../texts/adoption';
import * as shared from '../../../texts/shared';
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

/** The reports of a period, a row for each build, with the share of its installations that failed. */
export function BuildFigures({
  app,
  stats,
  builds,
}: {
  readonly app: App;
  readonly stats: readonly BuildStats[];
  readonly builds: readonly Build[];
}) {
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
          [texts.failureRate, ({ days }) => <FailureRate days={days} />],
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

/** A device that installed a build may report its rollback, too, or that alone. */
function FailureRate({ days }: Pick<BuildStats, 'days'>) {
  const [installs = 0, failed = 0, rollbacks = 0] = (['installs', 'install_failures', 'rollbacks'] as const).map(
    (member) => sum(days.map((day) => day[member])),
  );
  const attempts = Math.max(installs, rollbacks) + failed;
  if (attempts === 0) return <span className="dim">–</span>;
  const percent = (count: number): number => (100 * count) / attempts;
  return (
    <span className="failure-rate">
      {texts.percentage(Math.round(10 * percent(failed + rollbacks)) / 10)}
      <svg width="100%" height="10" aria-hidden="true">
        <rect className="no-failure" width="100%" height="10" rx="2" />
        <rect className="failed-installs" width={`${percent(failed)}%`} height="10" />
        <rect className="rolled-back" x={`${percent(failed)}%`} width={`${percent(rollbacks)}%`} height="10" />
      </svg>
    </span>
  );
}

const Count = ({ of: count }: { readonly of: number }) => (
  <span className={count === 0 ? 'dim' : undefined}>{count.toLocaleString()}</span>
);
