import type { Build } from '@sluice/contracts';
import { Badge, capitalized, type Tone } from '../../../parts/values';
import { state, stateMeanings } from '../../../texts/shared';

const TONES: Readonly<Record<Build['state'], Tone>> = {
  processing: 'busy',
  live: 'good',
  rolling_out: 'good',
  stopped: 'warn',
  failed: 'bad',
  archived: 'dim',
};

/** The badge of a build. */
export function State({ of: build }: { readonly of: Pick<Build, 'state' | 'rollout_percentage'> }) {
  return (
    <Badge tone={TONES[build.state]} title={stateMeanings[build.state]}>
      {capitalized(state(build))}
    </Badge>
  );
}
