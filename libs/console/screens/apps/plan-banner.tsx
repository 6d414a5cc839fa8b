import type { AppOverview } from '@sluice/contracts';
import { Link } from 'wouter';
import * as texts from '../../texts/plan';
import { build as nameOf } from '../../texts/shared';
import { stoppedPlans } from './health';

/** More would hide the apps. */
const MAX_SHOWN = 5;

/** The rollout plans that are held or failed: of which build, and why. */
export function PlanBanner({ apps }: { readonly apps: readonly AppOverview[] }) {
  const stopped = apps.flatMap((app) => stoppedPlans(app).map((plan) => ({ app, plan })));
  if (stopped.length === 0) return null;
  const isBad = stopped.some(({ plan }) => plan.because === 'failed');
  return (
    <aside className={`note ${isBad ? 'danger' : 'warn'}`} aria-label={texts.stoppedPlans}>
      <p>
        <strong>{texts.stopped(stopped.length)}</strong>
      </p>
      <ul>
        {stopped.slice(0, MAX_SHOWN).map(({ app, plan }) => (
          <li key={plan.build_id}>
            {app.name}, <Link to={`/apps/${app.id}/builds/${plan.build_id}`}>{nameOf(plan)}</Link>:{' '}
            {texts.stoppedWords(plan)}
          </li>
        ))}
      </ul>
      {stopped.length > MAX_SHOWN && <p>{texts.more(stopped.length - MAX_SHOWN)}</p>}
    </aside>
  );
}
