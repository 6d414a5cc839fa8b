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

/** The reports of a period, a row for each build. */
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
      <h3>{texts.byBuild}</h3>
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
          ...COLUMNS.map(
            ([name, member]) =>
              [numbers(name), ({ days }: BuildStats) => <Count of={sum(days.map((day) => day[member]))} />] as const,
          ),
        ]}
      />
      <p className="dim">{texts.byBuildHelp}</p>
    </>
  );
}

const Count = ({ of: count }: { readonly of: number }) => (
  <span className={count === 0 ? 'dim' : undefined}>{count.toLocaleString()}</span>
);
