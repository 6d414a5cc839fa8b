import type { AppOverview } from '@sluice/contracts';
import { Link } from 'wouter';
import { Name } from '../../parts/name';
import * as texts from '../../texts/apps';
import { channelName, platforms } from '../../texts/shared';
import { Devices, Serves, Signs } from './health';

/** Each app at a glance. */
export function AppCards({ apps }: { readonly apps: readonly AppOverview[] }) {
  return (
    <ul className="cards">
      {apps.map((app) => (
        <li key={app.id} className="card app-card">
          <header>
            <h2>
              <Link to={`/apps/${app.id}`}>
                <Name>{app.name}</Name>
              </Link>
            </h2>
            <p className="dim">
              <code>{app.app_id}</code> · {platforms[app.platform]}
            </p>
          </header>
          <dl>
            {app.devices?.channels.map(({ channel, build }) => (
              <div key={channel}>
                <dt>{channelName(channel)}</dt>
                <dd>
                  <Serves build={build} />
                </dd>
              </div>
            ))}
            <div>
              <dt>{texts.devices}</dt>
              <dd>
                <Devices devices={app.devices} />
              </dd>
            </div>
          </dl>
          <Signs app={app} none={<p className="dim">{texts.noWarnings}</p>} />
        </li>
      ))}
    </ul>
  );
}
