import type { Build, Health } from '@sluice/contracts';
import { Badge, capitalized, type Tone } from '../../../parts/values';
import * as texts from '../../../texts/recall';
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

type Recallable = Partial<Pick<Build, 'recalled_at' | 'recall_reason' | 'recall_of'>>;
type ShownState = Pick<Build, 'state' | 'rollout_percentage'> & Recallable;

interface StateProps {
  readonly of: ShownState;
  /** A build that is not well is not shown in green. */
  readonly health?: Health | undefined;
}

/** The badge of a build. */
export function State({ of: build, health }: StateProps) {
  const meaning = meaningOf(build);
  if (isRecalled(build)) {
    return (
      <Badge tone="bad" title={meaning}>
        {texts.recalledState}
      </Badge>
    );
  }
  if (isReplacement(build) && build.state === 'live') {
    return (
      <Badge tone="dim" title={meaning}>
        {texts.replacementState}
      </Badge>
    );
  }
  return (
    <Badge tone={toneOf(build.state, health)} title={meaning}>
      {capitalized(state(build))}
    </Badge>
  );
}

function toneOf(state: Build['state'], health: Health | undefined): Tone {
  const tone = TONES[state];
  if (tone !== 'good') return tone;
  return health === 'failing' ? 'bad' : health === 'watch' ? 'warn' : tone;
}

/** What the state of a build means for devices. */
export function meaningOf(build: Pick<Build, 'state'> & Recallable): string {
  if (isRecalled(build)) return texts.recalledMeaning;
  if (isReplacement(build)) return build.state === 'live' ? texts.replacementMeaning : texts.withdrawn;
  return stateMeanings[build.state];
}

/** In a list: why a build is recalled, or which recalled build it replaces. */
export function RecallWords({ of: build }: { readonly of: Recallable }) {
  const words = isRecalled(build)
    ? build.recall_reason
    : isReplacement(build)
      ? texts.replacementFor(build.recall_of ?? 0)
      : null;
  return typeof words === 'string' && <small className="recall-words">{words}</small>;
}
