import type { AppOverview } from '@sluice/contracts';
import { Link } from 'wouter';
import * as texts from '../../texts/release-health';
import { build as nameOf } from '../../texts/shared';
import { failingBuilds, stoppedPlans } from './health';

/** More would hide the apps. */
const MAX_SHOWN = 5;

/** The builds that fail on too many devices and are still offered; those with a plan that says so are in its banner. */
export function FailingBanner({ apps }: { readonly apps: readonly AppOverview[] }) {
  const failing = apps.flatMap((app) => {
    const planned = stoppedPlans(app).map(({ build_id: id }) => id);
    return failingBuilds(app).flatMap((build) => (planned.includes(build.build_id) ? [] : [{ app, build }]));
  });
  if (failing.length === 0) return null;
  return (
    <aside className="note danger" aria-label={texts.failingReleases}>
      <p>
        <strong>{texts.areFailing(failing.length)}</strong>
      </p>
      <ul>
        {failing.slice(0, MAX_SHOWN).map(({ app, build }) => (
          <li key={build.build_id}>
            {app.name}, <Link to={`/apps/${app.id}/builds/${build.build_id}`}>{nameOf(build)}</Link>:{' '}
            {texts.rate(build)}
          </li>
        ))}
      </ul>
      {failing.length > MAX_SHOWN && <p>{texts.more(failing.length - MAX_SHOWN)}</p>}
    </aside>
  );
}
