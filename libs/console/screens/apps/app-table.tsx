import type { AppOverview, Channel } from '@sluice/contracts';
import { Link } from 'wouter';
import { Name } from '../../parts/name';
import { rowHead, Table } from '../../parts/page';
import { CHANNELS } from '../builds/data';
import { Devices, Serves, Signs } from './health';

const COLUMNS = [
  [
    rowHead('App', 'app-name'),
    (app: AppOverview) => (
      <>
        <Link to={`/apps/${app.id}`}>
          <Name>{app.name}</Name>
        </Link>
        <small>{app.app_id}</small>
      </>
    ),
  ],
  ...CHANNELS.map(([channel, name]) => [name, (app: AppOverview) => <ServesIn app={app} channel={channel} />] as const),
  ['Devices', ({ devices }: AppOverview) => <Devices devices={devices} />],
  ['To look at', (app: AppOverview) => <Signs app={app} none={<span className="dim">nothing</span>} />],
] as const;

/** Many apps, a line each: a refresh leaves most of hundreds as they are. */
export function AppTable({ apps }: { readonly apps: readonly AppOverview[] }) {
  return <Table label="Apps" rows={apps} columns={COLUMNS} />;
}

function ServesIn({ app: { devices }, channel }: { readonly app: AppOverview; readonly channel: Channel }) {
  if (devices === null) return <span className="dim">unknown now</span>;
  return <Serves build={devices.channels.find((each) => each.channel === channel)?.build ?? null} />;
}
