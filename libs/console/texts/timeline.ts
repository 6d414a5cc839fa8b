/** The texts of histories: what happened, who did it and what changed. */

/** By type of event, in the order of a filter's list. */
export const events: Readonly<Record<string, string>> = {
  AppRegistered: 'App created',
  AppEdited: 'App edited',
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
  BuildRepublished: 'Build republished for a recall',
  BuildUnrecalled: 'Recall ended',
  BuildDeleted: 'Build deleted',
  ChannelClosed: 'Channel deleted with the app',
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
/** `system`: a service, or `worker`, the part of the service `build-pipeline` that checks bundles. */
export const sluice = (system: string): string => `Sluice (${system === 'worker' ? 'build-pipeline' : system})`;
export const actor = (kind: string, name: string): string => (kind === 'owner' ? name : `${kind} “${name}”`);
export const unnamedActor = (kind: string, id: string): string => `${kind} ${id}`;

export const build = (id: number): string => `build ${id}`;
export const key = (id: number): string => `(key ${id})`;
export const named = (name: string): string => `“${name}”`;
/** The console has one word for the status and the state of a build. */
export const state = 'state';
export const valuesAtDeletion = 'Values at deletion';
export const initialValues = 'Initial values';
export const changes = 'Changes';
export const changedTo = 'changed to';
export const none = 'none';
export const yes = 'yes';
export const no = 'no';
