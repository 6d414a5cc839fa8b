import type { AppOverview, Channel } from '@sluice/contracts';
import { Link } from 'wouter';
import { Name } from '../../parts/name';
import { rowHead, Table } from '../../parts/page';
import { CHANNELS } from '../builds/data';
import * as texts from '../../texts/apps';
import { Devices, healthOf, Serves, Signs } from './health';

const COLUMNS = [
  [
    rowHead(texts.app, 'app-name'),
    (app: AppOverview) => (
      <>
        <Link to={`/apps/${app.id}`}>
          <Name>{app.name}</Name>
        </Link>
        <small>{app.app_id}</small>
      </>
    ),
  ],
  ...CHANNELS.map((channel) => [channel, (app: AppOverview) => <ServesIn app={app} channel={channel} />] as const),
  [texts.devices, ({ devices }: AppOverview) => <Devices devices={devices} />],
  [texts.attention, (app: AppOverview) => <Signs app={app} none={<span className="dim">{texts.none}</span>} />],
] as const;

/** Many apps, a line each: a refresh leaves most of hundreds as they are. */
export function AppTable({ apps }: { readonly apps: readonly AppOverview[] }) {
  return <Table stacks label={texts.title} rows={apps} columns={COLUMNS} />;
}

function ServesIn({ app, channel }: { readonly app: AppOverview; readonly channel: Channel }) {
  const { devices } = app;
  if (devices === null) return <span className="dim">{texts.unavailable}</span>;
  const build = devices.channels.find((each) => each.channel === channel)?.build ?? null;
  return <Serves build={build} health={healthOf(app, build)} />;
}
