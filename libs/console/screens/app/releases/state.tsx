import type { Build } from '@sluice/contracts';
import { Badge, capitalized, type Tone } from '../../../parts/values';
import { recalledState, replacementState } from '../../../texts/recall';
import { state, stateMeanings } from '../../../texts/shared';
import { isRecalled, isReplacement } from './serving';

const TONES: Readonly<Record<Build['state'], Tone>> = {
  processing: 'busy',
  live: 'good',
  rolling_out: 'good',
  stopped: 'warn',
  failed: 'bad',
  archived: 'dim',
};

type ShownState = Pick<Build, 'state' | 'rollout_percentage'> & Partial<Pick<Build, 'recalled_at' | 'recall_of'>>;

/** The badge of a build. */
export function State({ of: build }: { readonly of: ShownState }) {
  if (isRecalled(build)) return <Badge tone="bad">{recalledState}</Badge>;
  if (isReplacement(build) && build.state === 'live') {
    return <Badge tone="dim">{replacementState}</Badge>;
  }
  return (
    <Badge tone={TONES[build.state]} title={stateMeanings[build.state]}>
      {capitalized(state(build))}
    </Badge>
  );
}
