import { hasFingerprint, isForClient, isForPlatform, isInNativeRange, meetsNativeVersion } from './native-rules';
import {
  bucketOf,
  choicesFor,
  holds,
  isInAudience,
  isInGroups,
  isNewerThanEmbedded,
  isPinned,
  isRolledBack,
  meets,
  nativeUpdate,
  selectBuild,
  suits,
  type ActiveBuilds,
  type AppPlatform,
  type Candidate,
  type CompiledAudience,
  type Device,
  type RuleOfAttribute,
  type Selected,
} from './select-build';

/** Why a device is not offered a build. */
export type WhyNot =
  /** It is not active. */
  | 'status'
  /** It is recalled. */
  | 'recalled'
  /** It is republished for a recall: only devices that the recall sends to it, and to whom nothing else is offered, get it. */
  | 'recall_only'
  | 'platform'
  /** It is for another platform. */
  | 'build_platform'
  | 'native_version'
  | 'native_range'
  | 'fingerprint'
  /** Its bundle is encrypted, for clients of another update service. */
  | 'client'
  /** It is no newer than the bundle inside the native app. */
  | 'embedded_version'
  /** Its rollout is stopped. */
  | 'halted'
  /** The device is not in its audience or in that of the channel, and is not pinned to it. */
  | 'audience'
  /** The device's bucket is not below the percentage of its rollout, and the device is not pinned to it. */
  | 'rollout'
  /** The device reported that it rolled it back, and no operator has retried it since. */
  | 'rolled_back'
  /** It would be, were a newer one not. */
  | 'newer_offered';

interface Explained extends Candidate {
  readonly active: boolean;
  readonly isRecalled: boolean;
  readonly isRepublished: boolean;
}

type ReplacementOf<Build extends Candidate> = ActiveBuilds<Build>['replacementOf'];

/** Of the audience of the channel or the build. */
export type UnmetRule = { readonly of: 'channel' | 'build' } & (
  RuleOfAttribute | { readonly groups: readonly string[] } | { readonly pinnedOnly: true }
);

export interface ExplainedBuild<Build> {
  readonly build: Build;
  /** Every reason; none for the build that is offered. */
  readonly whyNot: readonly WhyNot[];
  /** The rules of audiences that the device does not meet. */
  readonly unmet: readonly UnmetRule[];
  /** Of this device in the rollout of this build, from 0 to under 100. */
  readonly bucket: number;
  /** Whether the device is pinned to it. */
  readonly isPinned: boolean;
}

export interface Explanation<Build extends Candidate> {
  readonly selected: Selected<Build> | undefined;
  /** Nothing is offered, and the device is to return to the bundle inside its native app. */
  readonly rollBackToEmbedded: boolean;
  /** Newer than what the device runs, newest first. */
  readonly newer: readonly ExplainedBuild<Build>[];
  /** The builds that make the update mandatory: the offered one, or those that it skips. */
  readonly mandatoryBecauseOf: readonly Build[];
  /** The lowest native version that would get it a newer build. */
  readonly nativeUpdate: string | undefined;
}

/**
 * Which of a channel's builds, whatever their status, the device would be offered, and why not each
 * newer one. The choice is selectBuild's own.
 */
export function explainChoice<Build extends Explained>(
  builds: readonly Build[],
  { replacementOf, audience }: Pick<ActiveBuilds<Build>, 'replacementOf' | 'audience'>,
  appPlatform: AppPlatform,
  device: Device,
): Explanation<Build> {
  const newestFirst = [...builds].sort((left, right) => right.version.compare(left.version));
  const all = newestFirst.filter(({ active, isRepublished }) => active && !isRepublished);
  const mandatory = all.filter((build) => build.mandatory);
  const active = { all, mandatory, replacementOf, audience };
  const selected = selectBuild(active, appPlatform, device);
  const replacement = replacementOf(device);
  const isForApp = suits(device.platform, appPlatform);

  const judged = newestFirst
    .filter(({ version }) => version.compare(device.currentVersion) > 0)
    .map((build) => {
      const unmet = unmetBy(build, audience, device);
      return {
        ...{ build, unmet, reasons: reasonsAgainst(build, unmet, replacement, appPlatform, device) },
        ...{ bucket: bucketOf(build, device.deviceId), isPinned: isPinned(build, device) },
      };
    });
  const offered = selected?.build;
  return {
    selected,
    nativeUpdate: isForApp ? nativeUpdate(choicesFor(active, device), selected?.build, device)?.minimum : undefined,
    rollBackToEmbedded: selected === undefined && replacement === 'embedded' && isForApp,
    newer: judged.map(({ build, reasons, ...ofDevice }) => ({
      ...{ build, ...ofDevice },
      whyNot:
        reasons.length > 0 || build === offered ? reasons : [build.isRepublished ? 'recall_only' : 'newer_offered'],
    })),
    mandatoryBecauseOf: judged
      .filter(({ build, reasons }) => reasons.length === 0 && build.mandatory)
      .filter(({ build }) => build === offered || !build.isRepublished)
      .flatMap(({ build }) => (offered !== undefined && build.version.compare(offered.version) <= 0 ? [build] : [])),
  };
}

function unmetBy(build: Explained, ofChannel: CompiledAudience | undefined, device: Device): UnmetRule[] {
  if (isPinned(build, device)) return [];
  return [
    ...(build.isRepublished ? [] : unmetRules('channel', ofChannel, device)),
    ...unmetRules('build', build.audience, device),
  ];
}

function unmetRules(of: UnmetRule['of'], audience: CompiledAudience | undefined, device: Device): UnmetRule[] {
  if (audience === undefined || isInAudience(audience, device)) return [];
  if (audience.pinnedOnly) return [{ of, pinnedOnly: true }];
  const rules = audience.attributes.filter((rule) => !meets(rule, device)).map((rule) => ({ of, ...rule }));
  return isInGroups(audience, device) ? rules : [...rules, { of, groups: audience.groups }];
}

function reasonsAgainst(
  build: Explained,
  unmet: readonly UnmetRule[],
  replacement: ReturnType<ReplacementOf<Explained>>,
  appPlatform: AppPlatform,
  device: Device,
): WhyNot[] {
  return [
    ...(build.isRecalled ? ['recalled' as const] : build.active ? [] : ['status' as const]),
    ...(build.isRepublished && (replacement === 'embedded' || replacement?.includes(build) !== true)
      ? ['recall_only' as const]
      : []),
    ...(suits(device.platform, appPlatform) ? [] : ['platform' as const]),
    ...(isForPlatform(build, device) ? [] : ['build_platform' as const]),
    ...(meetsNativeVersion(build, device) ? [] : ['native_version' as const]),
    ...(isInNativeRange(build, device) ? [] : ['native_range' as const]),
    ...(hasFingerprint(build, device) ? [] : ['fingerprint' as const]),
    ...(isForClient(build, device) ? [] : ['client' as const]),
    ...(isNewerThanEmbedded(build, device) ? [] : ['embedded_version' as const]),
    ...(build.rolloutEnabled ? [] : ['halted' as const]),
    ...(unmet.length > 0 ? ['audience' as const] : []),
    ...(holds(build, device.deviceId) || isPinned(build, device) ? [] : ['rollout' as const]),
    ...(isRolledBack(build, device) ? ['rolled_back' as const] : []),
  ];
}
