import type { AppOverview, Channel } from '@sluice/contracts';
import { memo } from 'react';
import { Link } from 'wouter';
import { Table } from '../../parts/page';
import { CHANNELS } from '../app/releases/data';
import { Devices, Serves, Signs } from './health';

/** Many apps, a line each. */
export function AppTable({ apps }: { readonly apps: readonly AppOverview[] }) {
  return (
    <Table label="Apps">
      <thead>
        <tr>
          <th scope="col">App</th>
          {CHANNELS.map(([channel, name]) => (
            <th key={channel} scope="col">
              {name}
            </th>
          ))}
          <th scope="col">Devices</th>
          <th scope="col">To look at</th>
        </tr>
      </thead>
      <tbody>
        {apps.map((app) => (
          <Row key={app.id} app={app} />
        ))}
      </tbody>
    </Table>
  );
}

/** Drawn anew only when its app is another one: a refresh leaves most of hundreds as they are. */
const Row = memo(function Row({ app }: { readonly app: AppOverview }) {
  return (
    <tr>
      <th scope="row" className="app-name">
        <Link to={`/apps/${app.id}`}>{app.name}</Link>
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
