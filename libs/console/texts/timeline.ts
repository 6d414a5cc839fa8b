/** The texts of histories: what happened, who did it and what changed. */
import { buildId } from './shared';

/** By type of event, in the order of a filter's list. */
export const events: Readonly<Record<string, string>> = {
  AppRegistered: 'App created',
  AppEdited: 'App edited',
  PlanTemplateSet: 'Plan template set',
  PlanTemplateDeleted: 'Plan template deleted',
  ChannelAdded: 'Channel added',
  ChannelEdited: 'Channel edited',
  ChannelAudienceSet: 'Audience of a channel changed',
  ChannelPinsChanged: 'Pinned devices of a channel changed',
  ChannelExpiryDue: 'Channel expiry due',
  ChannelRemoved: 'Channel deleted',
  ChannelForgotten: 'Deleted channel forgotten',
  ChannelsClosed: 'Channels deleted',
  GroupReplaced: 'Device group replaced',
  GroupDeleted: 'Device group deleted',
  GroupsClosed: 'Device groups deleted with the app',
  AppRemovalStarted: 'App deletion started',
  AppRemoved: 'App deleted',
  BuildAccepted: 'Build uploaded',
  BuildActivated: 'Build ready',
  BuildFailed: 'Build check failed',
  BuildPromoted: 'Build created by promotion',
  PromotionStarted: 'Promotion to another channel started',
  PromotionCancelled: 'Promotion cancelled',
  BuildPaused: 'Build paused',
  BuildResumed: 'Build resumed',
  BuildArchived: 'Build archived',
  BuildEdited: 'Build edited',
  RolloutChanged: 'Rollout changed',
  BuildRecalled: 'Build recalled',
  BuildRepublished: 'Build republished',
  BuildUnrecalled: 'Recall ended',
  PlanSet: 'Rollout plan set',
  StepEntered: 'Step of a rollout plan entered',
  StepDue: 'Step of a rollout plan due',
  GateJudged: 'Rollout plan judged',
  PlanHeld: 'Rollout plan held',
  PlanResumed: 'Rollout plan resumed',
  StepSkipped: 'Step of a rollout plan skipped',
  PlanStepsChanged: 'Steps of a rollout plan changed',
  PlanCompleted: 'Rollout plan completed',
  PlanAborted: 'Rollout plan ended',
  BuildRetried: 'Build offered again after rollbacks',
  PinsChanged: 'Pinned devices changed',
  BuildDeleted: 'Build deleted',
  ChannelClosed: 'Channel closed',
  ApiKeyCreated: 'API key created',
  ApiKeyRotated: 'API key rotated',
  ApiKeyRestricted: 'API key restrictions changed',
  ApiKeyDeprecated: 'API key deprecated',
  ApiKeyRevoked: 'API key revoked',
  ApiKeyDeleted: 'API key deleted',
  ApiKeysClosed: 'API keys deleted with the app',
  SigningKeyCreated: 'Signing key created',
  SigningKeyRotated: 'Signing key rotated, previous key retired',
  SigningKeyRolledOver: 'Signing key rotated',
  FormerSigningKeyRetired: 'Previous signing key retired',
  SigningKeyClosed: 'Signing keys deleted with the app',
  KeystoreStored: 'Keystore backup stored',
  KeystoreDeleted: 'Keystore backup deleted',
  KeystoreClosed: 'Keystore backup deleted with the app',
};

/**
 * What an actor did, by type of event: `{build}`, `{channel}` and `{named}` stand for what it was done to. An event without
 * a sentence is shown as its name in `events`.
 */
const sentences: Readonly<Record<string, string>> = {
  AppRegistered: 'created the app {named}',
  AppEdited: 'edited the app',
  PlanTemplateSet: 'set a plan template',
  PlanTemplateDeleted: 'deleted a plan template',
  ChannelAdded: 'added the channel {named}',
  ChannelEdited: 'edited the channel {channel}',
  ChannelAudienceSet: 'changed the audience of the channel {channel}',
  ChannelPinsChanged: 'changed the pinned devices of the channel {channel}',
  ChannelRemoved: 'deleted the channel {named}',
  GroupReplaced: 'replaced a device group',
  GroupDeleted: 'deleted a device group',
  AppRemovalStarted: 'deleted the app {named}',
  AppRemoved: 'finished the deletion of the app',
  BuildAccepted: 'uploaded {build} to {channel}',
  BuildActivated: 'checked {build} in {channel}: it is ready',
  BuildFailed: 'rejected {build} in {channel}',
  BuildPromoted: 'promoted {build} to {channel}',
  PromotionStarted: 'started to promote {build} from {channel}',
  PromotionCancelled: 'cancelled the promotion of {build} from {channel}',
  BuildPaused: 'paused {build} in {channel}',
  BuildResumed: 'resumed {build} in {channel}',
  BuildArchived: 'archived {build} in {channel}',
  BuildEdited: 'edited {build} in {channel}',
  RolloutChanged: 'changed the rollout of {build} in {channel}',
  BuildRecalled: 'recalled {build} in {channel}',
  BuildRepublished: 'republished {build} in {channel}',
  BuildUnrecalled: 'ended the recall of {build} in {channel}',
  PlanSet: 'set a rollout plan for {build} in {channel}',
  StepEntered: 'started the next step of the rollout plan of {build} in {channel}',
  StepDue: 'found that the time of a step of the rollout plan of {build} in {channel} is over',
  GateJudged: 'judged the rollout plan of {build} in {channel}',
  PlanHeld: 'held the rollout plan of {build} in {channel}',
  PlanResumed: 'resumed the rollout plan of {build} in {channel}',
  StepSkipped: 'skipped a step of the rollout plan of {build} in {channel}',
  PlanStepsChanged: 'changed the steps of the rollout plan of {build} in {channel}',
  PlanCompleted: 'completed the rollout plan of {build} in {channel}',
  PlanAborted: 'ended the rollout plan of {build} in {channel}',
  BuildRetried: 'offered {build} in {channel} again after rollbacks',
  PinsChanged: 'changed the pinned devices of {build} in {channel}',
  BuildDeleted: 'deleted {build} in {channel}',
  ApiKeyCreated: 'created the API key {named}',
  ApiKeyRotated: 'rotated the API key {named}',
  ApiKeyRestricted: 'changed the restrictions of the API key {named}',
  ApiKeyDeprecated: 'deprecated the API key {named}',
  ApiKeyRevoked: 'revoked the API key {named}',
  ApiKeyDeleted: 'deleted the API key {named}',
  SigningKeyCreated: 'created a signing key',
  SigningKeyRotated: 'rotated the signing key and retired the previous one',
  SigningKeyRolledOver: 'rotated the signing key',
  FormerSigningKeyRetired: 'retired the previous signing key',
  KeystoreStored: 'stored a backup of the keystore',
  KeystoreDeleted: 'deleted the backup of the keystore',
};

const ended = 'ended the rollout plan of {build} in {channel}';
/** By the member `plan_because`. */
const planEnds: Readonly<Record<string, { readonly ended: string; readonly because: string }>> = {
  inconclusive: { ended, because: ', because the reports were not enough to continue' },
  failed: { ended, because: ', because a gate failed' },
  changed: { ended, because: ', because the build was changed' },
  deleted: { ended: 'deleted the rollout plan of {build} in {channel}', because: '' },
};

/** Members that the sentences of plans say already. */
export const isSaid = (type: string, member: string): boolean =>
  /^(Plan|Step|Gate)/.test(type) && /^plan_(status|because)$/.test(member);

type Members = Readonly<Record<string, unknown>> | null;

/** The sentence of an entry, with `{build}`, `{channel}` and `{named}` to fill in; undefined: it has none. */
export function sentence(type: string, before: Members, after: Members): string | undefined {
  const share = after?.['rollout_percentage'];
  const enabled = after?.['rollout_enabled'];
  if (type === 'RolloutChanged') {
    if (enabled === false) return 'halted the rollout of {build} in {channel}';
    if (enabled === true) return 'resumed the rollout of {build} in {channel}';
    const from = before?.['rollout_percentage'];
    if (typeof share === 'number') {
      return `changed the rollout of {build} in {channel} ${typeof from === 'number' ? `from ${from}% ` : ''}to ${share}%`;
    }
  }
  const why = planEnds[String(after?.['plan_because'])];
  if ((type === 'PlanHeld' || type === 'PlanAborted') && why !== undefined) {
    return `${type === 'PlanHeld' ? sentences['PlanHeld'] : why.ended}${why.because}`;
  }
  const isNew = type === 'BuildAccepted' || type === 'BuildPromoted';
  const words = sentences[type];
  return words !== undefined && isNew && typeof share === 'number' && share < 100 ? `${words} (${share}%)` : words;
}

/** The reason that a person gave, or what they wrote about a new build. */
export function reason(type: string, after: Members): string | undefined {
  const member = { BuildRecalled: 'recall_reason', BuildAccepted: 'release_notes', BuildPromoted: 'release_notes' }[
    type
  ];
  const text = member === undefined ? undefined : after?.[member];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

export const because = (text: string): string => `: ${text}`;

/** An event without a sentence, such as `Channel expiry due (Sluice)`. */
export const byActor = (event: string, actor: string): string => `${event} (${actor})`;
/** What a sentence is about, if its name is not known. */
export const unnamed = { build: 'a build', channel: 'its channel', named: '' } as const;

export const today = 'Today';
export const yesterday = 'Yesterday';

/** `system`: the part of the server that did it. */
export const sluice = (system: string): string =>
  `Sluice (${system === 'worker' ? 'bundle check' : system.replaceAll('-', ' ')})`;
export const actor = (kind: string, name: string): string => (kind === 'owner' ? name : `${kind} “${name}”`);
export const unnamedActor = (kind: string, id: string): string => `${kind} ${id}`;

export const unchangedRollout = 'The rollout was already at this percentage.';
/** Of the build that replaces a recalled one. */
export const republished = (source: unknown, recalled: number): string =>
  `from build ${String(source)}, for devices of the recalled build ${recalled}`;
/** After “the API key”. */
export const key = (id: number): string => String(id);
export const named = (name: string): string => `“${name}”`;
/** Members of builds whose names in the API are not those of the console. */
export const ofBuilds: Readonly<Record<string, string>> = {
  status: 'status',
  plan_step: 'step',
  plan_percentage: 'percentage of the step',
  promoted_from_id: 'promoted from',
  recall_reason: 'reason for the recall',
  recall_target: 'devices that run it get',
  recall_of: 'for devices of the recalled',
  republished_from_id: 'republished from',
};
/** The value of a member of a build: ids as builds, and the target of a recall in words. */
export const buildWords = (member: string, value: unknown): unknown => {
  if (member === 'status') return value === 'active' ? 'active (devices can get it)' : value;
  if (!/^(promoted_from_id|recall_|republished_from_id)/.test(member)) return value;
  if (typeof value === 'number') return member === 'recall_target' ? `${buildId(value)}, republished` : buildId(value);
  if (member !== 'recall_target') return value;
  return value === 'embedded' ? 'the bundle in their native app' : value === 'none' ? 'nothing' : value;
};
export const valuesAtDeletion = 'Values at deletion';
export const initialValues = 'Initial values';
export const changes = 'Changes';
export const changedTo = 'changed to';
export const none = 'none';
