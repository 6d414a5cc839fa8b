import type { ProjectionStatus } from '@sluice/contracts';
import { Badge } from '../../parts/values';

/** Whether a read model follows the events. */
export function Standing({ of: model }: { readonly of: Pick<ProjectionStatus, 'caught_up' | 'stopped'> }) {
  if (model.stopped !== null) return <Badge tone="bad">stopped</Badge>;
  return model.caught_up ? <Badge tone="good">up to date</Badge> : <Badge tone="warn">catching up</Badge>;
}
