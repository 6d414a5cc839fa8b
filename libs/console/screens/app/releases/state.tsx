import type { Build } from '@sluice/contracts';
import { Badge, type Tone } from '../../../parts/values';

/** What the server derives from status and rollout, with the share of a rollout. */
type Stated = Pick<Build, 'state' | 'rollout_percentage'>;

const TONES: Readonly<Record<Build['state'], Tone>> = {
  processing: 'busy',
  live: 'good',
  rolling_out: 'good',
  stopped: 'warn',
  failed: 'bad',
  archived: 'dim',
};

/** In the words of the command line, such as `rolling out 20 %`. */
export function stateWords({ state, rollout_percentage: percentage }: Stated): string {
  return state === 'rolling_out' ? `rolling out ${percentage ?? 100} %` : state;
}

/** The one badge of a build. */
export function State({ of: build }: { readonly of: Stated }) {
  const words = stateWords(build);
  return <Badge tone={TONES[build.state]}>{`${words.charAt(0).toUpperCase()}${words.slice(1)}`}</Badge>;
}
