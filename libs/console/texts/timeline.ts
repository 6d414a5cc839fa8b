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

export const by = 'by';
/** `system`: the part of the server that did it. */
export const sluice = (system: string): string =>
  `Sluice (${system === 'worker' ? 'bundle check' : system.replaceAll('-', ' ')})`;
export const actor = (kind: string, name: string): string => (kind === 'owner' ? name : `${kind} “${name}”`);
export const unnamedActor = (kind: string, id: string): string => `${kind} ${id}`;

export const unchangedRollout = 'The rollout was already at this percentage.';
/** Of the build that replaces a recalled one. */
export const republished = (source: unknown, recalled: number): string =>
  `from build ${String(source)}, for devices of the recalled build ${recalled}`;
export const key = (id: number): string => `(key ${id})`;
export const named = (name: string): string => `“${name}”`;
/** Members of builds whose names in the API are not those of the console. */
export const ofBuilds: Readonly<Record<string, string>> = {
  status: 'status',
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
export const yes = 'yes';
export const no = 'no';
