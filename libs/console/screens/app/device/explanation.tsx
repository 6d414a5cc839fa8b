import type { Explanation } from '@sluice/contracts';
import { Section } from '../../../parts/page';
import { Badge } from '../../../parts/values';
import { stateWords } from '../releases/state';
import type { Question } from './explain-form';

type NewerBuild = Explanation['newer'][number];

const PLATFORM_WORDS = { ios: 'iOS', android: 'Android', both: 'iOS and Android', web: 'the web', all: 'any platform' };

/** How many newer builds an explanation goes through. */
const MOST = 200;

/** The way the server goes from the newest build down to the one it offers. */
export function ExplanationSteps({
  question: { wish, answer },
  isOld,
}: {
  readonly question: Question;
  /** The form has changed since. */
  readonly isOld: boolean;
}) {
  const { offered, newer, version, channel, app_version: native } = answer;
  return (
    <Section title="The answer">
      {isOld && (
        <p className="note warn" role="status">
          You have changed the question since. This is the answer to the one before: press Explain for a new one.
        </p>
      )}
      <p role="status">
        {offered === null ? (
          <strong>The device gets nothing new: it stays on {version}.</strong>
        ) : (
          <strong>
            The device gets {offered.version} (build {offered.build_id}).
          </strong>
        )}{' '}
        {offered !== null && mandatoryWords(offered)}
      </p>
      <ol className="explain-steps">
        <li>
          Device <code>{wish.device}</code> runs {version} on {PLATFORM_WORDS[answer.platform]}, and asks for the
          channel {channel}.
        </li>
        <li>
          {native === null
            ? 'It sends no valid version of its native app, so no build is withheld for that.'
            : `Its native app is ${native}.`}
        </li>
        <li>
          {newer.length === 0
            ? `The channel has no build above ${version}, so there is nothing to offer.`
            : `The channel has ${newer.length === MOST ? `at least ${MOST}` : newer.length} newer ${newer.length === 1 ? 'build' : 'builds'}. The newest one that fits is offered:`}
        </li>
      </ol>
      {newer.length > 0 && (
        <ol className="verdicts">
          {newer.map((build) => (
            <li key={build.build_id}>
              <p>
                <strong>{build.version}</strong> <span className="dim">build {build.build_id}</span>{' '}
                <Badge tone={build.offered ? 'good' : 'dim'}>{build.offered ? 'offered' : 'not offered'}</Badge>
              </p>
              <ul>
                {build.offered ? (
                  <li>It is active, fits the device, and {rolloutWords(build)}.</li>
                ) : (
                  build.why_not.map((why) => <li key={why}>{reason(why, build, answer)}</li>)
                )}
              </ul>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

function mandatoryWords({
  mandatory,
  build_id: id,
  mandatory_because_of: because,
}: NonNullable<Explanation['offered']>) {
  if (!mandatory) return 'It may put the update off.';
  const others = because.filter((each) => each !== id);
  const skipped = others.length === 0 ? '' : `, because of build ${others.join(', ')}, which it skips`;
  return `It must take it: the update is mandatory${skipped}.`;
}

function rolloutWords({ rollout_percentage: percentage, bucket }: NewerBuild): string {
  return percentage === 100
    ? 'its rollout reaches every device'
    : `its rollout of ${percentage} % reaches this device, whose place is ${bucket.toFixed(2)} of 100`;
}

function reason(why: NewerBuild['why_not'][number], build: NewerBuild, answer: Explanation): string {
  switch (why) {
    case 'status':
      return `It is ${stateWords(build)}: only live builds and those that are rolling out are offered.`;
    case 'platform':
      return `The app is for ${PLATFORM_WORDS[answer.app_platform]}, not for ${PLATFORM_WORDS[answer.platform]}.`;
    case 'native_version':
      return `It needs the native app ${build.min_native_version ?? ''} or later; the device has ${answer.app_version ?? 'none'}.`;
    case 'halted':
      return build.rollout_enabled
        ? 'Its rollout is at 0 %, so no device gets it.'
        : 'Its rollout is halted, so no device gets it.';
    case 'rollout':
      return `Its rollout is at ${build.rollout_percentage} %, and this device’s place in it is ${build.bucket.toFixed(2)} of 100. It comes when the rollout goes above that.`;
    case 'newer_offered':
      return 'A newer one is offered instead.';
  }
}
