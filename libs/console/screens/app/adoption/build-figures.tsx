import type { App, BuildStats } from '@sluice/contracts';
import { Link } from 'wouter';
import { numbers, Table } from '../../../parts/page';
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
      <Table label="Figures of each build" head={['Build', ...COLUMNS.map(([name]) => numbers(name))]}>
        {stats.map(({ build_id: id, version, days }) => (
          <tr key={id}>
            <th scope="row">
              <Link to={`/apps/${app.id}/builds/${id}`}>{version}</Link>
            </th>
            {COLUMNS.map(([name, member]) => (
              <td key={name} className="number">
                {sum(days.map((day) => day[member])).toLocaleString()}
              </td>
            ))}
          </tr>
        ))}
      </Table>
      <p className="dim">
        Of the newest builds of the channel, on the days above. What devices say went wrong stands on a build’s page.
      </p>
    </>
  );
}
