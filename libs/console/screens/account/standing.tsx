import type { ProjectionStatus } from '@sluice/contracts';
import { Badge } from '../../parts/values';
import * as texts from '../../texts/account';

/** Whether a read model follows the events. */
export function Standing({ of: model }: { readonly of: Pick<ProjectionStatus, 'caught_up' | 'stopped'> }) {
  if (model.stopped !== null) return <Badge tone="bad">{texts.stopped}</Badge>;
  return model.caught_up ? <Badge tone="good">{texts.upToDate}</Badge> : <Badge tone="warn">{texts.catchingUp}</Badge>;
}
