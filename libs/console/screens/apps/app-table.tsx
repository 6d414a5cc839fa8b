import type { AppOverview, Channel } from '@sluice/contracts';
import { memo } from 'react';
import { Link } from 'wouter';
import { Name } from '../../parts/name';
import { Table } from '../../parts/page';
import { CHANNELS } from '../app/releases/data';
import { Devices, Serves, Signs } from './health';

/** Many apps, a line each. */
export function AppTable({ apps }: { readonly apps: readonly AppOverview[] }) {
  return (
    <Table label="Apps" head={['App', ...CHANNELS.map(([, name]) => name), 'Devices', 'To look at']}>
      {apps.map((app) => (
        <Row key={app.id} app={app} />
      ))}
    </Table>
  );
}

/** Drawn anew only when its app is another one: a refresh leaves most of hundreds as they are. */
const Row = memo(function Row({ app }: { readonly app: AppOverview }) {
  return (
    <tr>
      <th scope="row" className="app-name">
        <Link to={`/apps/${app.id}`}>
          <Name>{app.name}</Name>
        </Link>
        <small>{app.app_id}</small>
      </th>
      {CHANNELS.map(([channel]) => (
        <td key={channel}>
          <ServesIn app={app} channel={channel} />
        </td>
      ))}
      <td>
        <Devices devices={app.devices} />
      </td>
      <td>
        <Signs app={app} none={<span className="dim">nothing</span>} />
      </td>
    </tr>
  );
});

function ServesIn({ app: { devices }, channel }: { readonly app: AppOverview; readonly channel: Channel }) {
  if (devices === null) return <span className="dim">unknown now</span>;
  return <Serves build={devices.channels.find((each) => each.channel === channel)?.build ?? null} />;
}
