import type { AppOverview } from '@sluice/contracts';
import { Link } from 'wouter';
import { Name } from '../../parts/name';
import * as texts from '../../texts/apps';
import { platforms } from '../../texts/shared';
import { Devices, healthOf, Serves, Signs } from './health';

/** The standard channels, and the first that the app has added. */
const SHOWN_CHANNELS = 6;

const channelsOf = ({ devices }: AppOverview) => devices?.channels ?? [];
const shownOf = (app: AppOverview) => channelsOf(app).slice(0, SHOWN_CHANNELS);
const further = (app: AppOverview): number => channelsOf(app).length - shownOf(app).length;

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
            {shownOf(app).map(({ channel, build }) => (
              <div key={channel}>
                <dt>{channel}</dt>
                <dd>
                  <Serves build={build} health={healthOf(app, build)} />
                </dd>
              </div>
            ))}
            {further(app) > 0 && (
              <div>
                <dt>{texts.channels}</dt>
                <dd>{texts.further(further(app))}</dd>
              </div>
            )}
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
