/** What the facts of an app's history say, in words; in the order of a filter's list. */
export const EVENT_WORDS: Readonly<Record<string, string>> = {
  AppRegistered: 'App made',
  AppEdited: 'App changed',
  AppRemovalStarted: 'App deleted',
  AppRemoved: 'Everything of the app removed',
  BuildAccepted: 'Build uploaded',
  BuildActivated: 'Build checked and in service',
  BuildFailed: 'Build failed its check',
  BuildPromoted: 'Build promoted to this channel',
  PromotionStarted: 'Promotion to another channel begun',
  PromotionCancelled: 'Promotion called off',
  BuildPaused: 'Build paused',
  BuildResumed: 'Build resumed',
  BuildArchived: 'Build archived',
  BuildEdited: 'Build changed',
  RolloutChanged: 'Rollout changed',
  BuildDeleted: 'Build deleted',
  ChannelClosed: 'Channel closed',
  ApiKeyCreated: 'API key made',
  ApiKeyRotated: 'API key rotated',
  ApiKeyRestricted: 'Restrictions of an API key changed',
  ApiKeyDeprecated: 'API key deprecated',
  ApiKeyRevoked: 'API key revoked',
  ApiKeyDeleted: 'API key deleted',
  ApiKeysClosed: 'API keys closed',
  SigningKeyCreated: 'Signing key made',
  SigningKeyRotated: 'Signing key rotated, former key retired',
  SigningKeyRolledOver: 'Signing key rotated',
  FormerSigningKeyRetired: 'Former signing key retired',
  SigningKeyClosed: 'Signing key closed',
  KeystoreStored: 'Keystore backup stored',
  KeystoreDeleted: 'Keystore backup deleted',
  KeystoreClosed: 'Keystore backup closed',
};

/** An event that has no words yet, by its name: `BuildPaused` as “Build paused”. */
export function eventWords(type: string): string {
  const spaced = type.replace(/(?<=.)([A-Z])/g, ' $1').toLowerCase();
  return EVENT_WORDS[type] ?? spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
