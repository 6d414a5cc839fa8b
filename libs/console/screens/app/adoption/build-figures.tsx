import type { App, BuildStats } from '@sluice/contracts';
import { Link } from 'wouter';
import { numbers, rowHead, Table } from '../../../parts/page';
import { sum } from './series';

const COLUMNS = [
  ['Offered, about', 'offered'],
  ['Downloads', 'downloads'],
  ['Failed downloads', 'download_failures'],
  ['Installs', 'installs'],
  ['Failed installs', 'install_failures'],
  ['Rollbacks', 'rollbacks'],
] as const;

/** Of the days that were asked for, a row for each build. */
export function BuildFigures({ app, stats }: { readonly app: App; readonly stats: readonly BuildStats[] }) {
  return (
    <>
      <Table
        label="Figures of each build"
        rows={stats}
        keyOf={({ build_id: id }) => id}
        columns={[
          [rowHead('Build'), ({ build_id: id, version }) => <Link to={`/apps/${app.id}/builds/${id}`}>{version}</Link>],
          ...COLUMNS.map(
            ([name, member]) =>
              [numbers(name), ({ days }: BuildStats) => sum(days.map((day) => day[member])).toLocaleString()] as const,
          ),
        ]}
      />
      <p className="dim">
        Of the newest builds of the channel, on the days above. The errors that devices reported are on a build’s page.
      </p>
    </>
  );
}
