import type { App, Explanation } from '@sluice/contracts';
import type { ReactNode } from 'react';
import { Badge } from '../../../parts/values';
import { unmet } from '../../../texts/audience';
import * as texts from '../../../texts/device';
import { buildId, platforms, state, versionOf } from '../../../texts/shared';
import { useBuild } from '../../builds/data';
import { isReplacement } from '../releases/serving';
import type { Explained } from './explain-form';

type NewerBuild = Explanation['newer'][number];

/** How many newer builds an explanation lists at most. */
const MOST = 200;

/** How the server selects a build, from the newest one down to the one it offers. */
export function ExplanationSteps({ app, of: { input, explanation } }: { readonly app: App; readonly of: Explained }) {
  const { offered, newer, version, channel, channel_from: from, app_version: native, recalled } = explanation;
  return (
    <>
      <p role="status">
        <strong>{outcome(explanation)}</strong> {offered !== null && mandatoryWords(offered)}
      </p>
      <ol className="explain-steps">
        <li>{texts.runs(input.device, version, platforms[explanation.platform], channel)}</li>
        {texts.channelFrom[from] !== undefined && <li>{texts.channelFrom[from]}</li>}
        <li>{native === null ? texts.noNative : texts.nativeIs(native)}</li>
        {explanation.native_update_required && (
          <li>{texts.nativeUpdate(explanation.native_update_required.minimum)}</li>
        )}
        {recalled !== null && (
          <li>
            <VersionRecalled app={app} version={version} target={recalled.target} />
          </li>
        )}
        <li>{newer.length === 0 ? texts.noNewer(version) : texts.newer(newer.length, newer.length === MOST)}</li>
      </ol>
      {newer.length > 0 && (
        <ol className="verdicts">
          {newer.map((build) => (
            <li key={build.build_id}>
              <p>
                <strong>{build.version}</strong> <span className="dim">{buildId(build.build_id)}</span>{' '}
                <Badge tone={build.offered ? 'good' : 'dim'}>{build.offered ? texts.offered : texts.notOffered}</Badge>
              </p>
              <ul>
                {build.offered ? (
                  <li>{recalled === null ? rolloutWords(build) : <OfRecalled app={app} build={build} />}</li>
                ) : (
                  build.why_not.map((why) => (
                    <li key={why}>
                      {why === 'recalled' ? (
                        <Recalled app={app} id={build.build_id} />
                      ) : (
                        reason(why, build, explanation)
                      )}
                    </li>
                  ))
                )}
                {unknownRule(build, native) !== undefined && (
                  <li>{texts.dependsOnNative(unknownRule(build, native))}</li>
                )}
                {!build.offered && build.pinned && <li>{texts.pinnedInVain}</li>}
              </ul>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

type RecallTarget = NonNullable<Explanation['recalled']>['target'];

function VersionRecalled(props: { readonly app: App; readonly version: string; readonly target: RecallTarget }) {
  const { app, version, target } = props;
  const id = typeof target === 'number' ? target : 0;
  const { data } = useBuild(app, id, id > 0);
  return texts.versionRecalled(version, target, versionOf(data?.version, id));
}

function outcome({ offered, version, recalled, newer, app_version: native }: Explanation): ReactNode {
  if (offered !== null) {
    const rule = newer.filter((build) => build.offered).map((build) => unknownRule(build, native))[0];
    const { version: of, build_id: id } = offered;
    return rule === undefined ? texts.update(of, id) : texts.updateIf(of, id, rule);
  }
  return recalled?.roll_back_to_embedded === true ? texts.rollsBack : texts.noUpdate(version);
}

/** What a build requires of the native version if that is unknown: the server then offers it as if it matched. */
function unknownRule(build: NewerBuild, native: string | null): ReactNode {
  const { min_native_version: minimum, native_range: range } = build;
  if (native !== null) return undefined;
  if (minimum !== null) return texts.minimumRule(minimum);
  return range === null ? undefined : texts.rangeRule(range);
}

/** Why a build is recalled. */
function Recalled({ app, id }: { readonly app: App; readonly id: number }) {
  return texts.recalled(useBuild(app, id).data?.recall_reason ?? null);
}

/** Why a device of a recalled version gets a build. */
function OfRecalled({ app, build }: { readonly app: App; readonly build: NewerBuild }) {
  const { data } = useBuild(app, build.build_id);
  const recalled = data?.recall_of ?? 0;
  const { data: before } = useBuild(app, recalled, recalled > 0);
  return data !== undefined && isReplacement(data)
    ? texts.replaces(versionOf(before?.version, recalled))
    : rolloutWords(build);
}

function mandatoryWords({
  mandatory,
  build_id: id,
  mandatory_because_of: because,
}: NonNullable<Explanation['offered']>) {
  return mandatory ? texts.mandatory(because.filter((each) => each !== id)) : texts.optional;
}

function rolloutWords({ rollout_percentage: percentage, bucket, pinned, ring }: NewerBuild): string {
  if (pinned && bucket >= percentage) return texts.pinned;
  return percentage === 100 ? texts.toEvery : texts.inRollout(percentage, bucket.toFixed(2), ring);
}

function reason(
  why: Exclude<NewerBuild['why_not'][number], 'recalled'>,
  build: NewerBuild,
  explanation: Explanation,
): ReactNode {
  switch (why) {
    case 'status':
      return texts.inState(state(build));
    case 'recall_only':
      return texts.recallOnly;
    case 'platform':
      return texts.otherPlatform(platforms[explanation.app_platform], platforms[explanation.platform]);
    case 'native_version':
      return texts.needsNative(build.min_native_version ?? '', explanation.app_version ?? '');
    case 'native_range':
      return texts.needsRange(build.native_range ?? '', explanation.app_version ?? '');
    case 'fingerprint':
      return texts.needsFingerprint(build.fingerprint ?? '', explanation.fingerprint);
    case 'client':
      return texts.encrypted;
    case 'build_platform':
      return texts.forPlatform(platforms[build.platform], platforms[explanation.platform]);
    case 'embedded_version':
      return texts.notAboveEmbedded(explanation.embedded_version ?? '');
    case 'audience':
      return build.audience_unmet.map(unmet).join(' ');
    case 'halted':
      return build.rollout_enabled ? texts.atZero : texts.halted;
    case 'rollout':
      return texts.outsideRollout(build.rollout_percentage, build.bucket.toFixed(2), build.ring);
    case 'rolled_back':
      return texts.rolledBack;
    case 'newer_offered':
      return texts.newerOffered;
  }
}
