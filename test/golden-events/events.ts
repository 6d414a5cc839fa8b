import type { Decider, DomainEvent } from '@sluice/kernel';
import { sequence } from '@sluice/event-store';
import { installation } from '../../libs/service-host/installation-format';
import { channelDecider, type ChannelEvent } from '../../services/build-pipeline/builds/domain/channel';
import { planDecider, type PlanEvent } from '../../services/build-pipeline/plans/domain/plan';
import { jobDecider, type JobEvent } from '../../services/build-pipeline/jobs/domain/job';
import { apiKeys, type ApiKeyEvent } from '../../services/keys/api-keys/domain/api-keys';
import { keyText, type KeyTextEvent } from '../../services/keys/api-keys/domain/key-text';
import { groups, type GroupEvent } from '../../services/device-updates/groups/domain/groups';
import { keystore, type KeystoreEvent } from '../../services/keys/keystores/domain/keystore';
import { signingKey, type SigningKeyEvent } from '../../services/keys/signing-keys/domain/signing-key';
import { merchant, type MerchantEvent } from '../../services/merchant-sync/settings/domain/merchant';
import { syncRun, type SyncRunEvent } from '../../services/merchant-sync/runs/domain/sync-run';
import { app, type AppEvent } from '../../services/registry/apps/domain/app';
import { apps, type AppsEvent } from '../../services/registry/apps/domain/apps';
import { channels, type ChannelsEvent } from '../../services/registry/channels/domain/channels';
import { planTemplates, type PlanTemplateEvent } from '../../services/registry/plan-templates/domain/plan-templates';
import { owner, type OwnerEvent } from '../../services/registry/owners/domain/owner';
import { token, type TokenEvent } from '../../services/registry/tokens/domain/token';

type DataOf<Event extends DomainEvent, Type> = Event extends { readonly type: infer Own }
  ? Type extends Own
    ? Required<Event['data']>
    : never
  : never;

/** The data of each type, with every member that it can have, in an order in which a stream could hold the events. */
type Examples<Event extends DomainEvent> = { readonly [Type in Event['type']]: DataOf<Event, Type> };

const AT = '2026-01-01T00:00:00.000Z';
const hash = 'a'.repeat(64);

const build = {
  buildId: 1,
  bundleId: 'bundle-1',
  appId: 7,
  channel: 'production',
  version: '1.0.0',
  objectKey: 'bundles/1.zip',
  size: 10,
  checksum: hash,
  signature: 'c2lnbmF0dXJl',
  releaseNotes: 'First.',
  minNativeVersion: '1.2',
  nativeRange: '>=1.2.0 <3',
  fingerprint: 'f00d',
  platform: 'ios',
  delivery: { capgo: { session_key: 'aXY=:a2V5', checksum: hash, key_id: 'MIIBCgKCAQEAn0LYmtl0' } },
  rolloutPercentage: 100,
  mandatory: false,
  ring: 'stable',
} as const;
/** As the API has them. */
const rules = {
  steps: [{ percentage: 5, hold_minutes: 60, min_devices: 500 }],
  gates: { failures: { threshold_percent: 2 }, silence: { after_minutes: 1_440, threshold_percent: 50 } },
  ...{ windows: [], time_zone: 'UTC', start_at: null, on_fail: 'hold', template: 'careful' },
};

const audience = {
  groups: ['beta'],
  attributes: { plan: { equal: 'pro' }, country: { in: ['at', 'de'] }, os: { range: '>=17' } },
};

const channel: Examples<ChannelEvent> = {
  BuildAccepted: { ...build, jobId: '01JGFJJZ000000000000000000', plan: rules, audience },
  BuildActivated: { buildId: 1, signature: 'c2lnbmF0dXJl' },
  PromotionStarted: { buildId: 1, appId: 7, objectKey: 'bundles/1.zip', promotedId: 2, targetChannel: 'staging' },
  BuildPromoted: {
    ...build,
    buildId: 3,
    version: '1.1.0',
    promotedFromId: 1,
    signedByServer: true,
    plan: rules,
    audience,
  },
  PromotionCancelled: { buildId: 4 },
  BuildPaused: { buildId: 1 },
  BuildResumed: { buildId: 1 },
  BuildEdited: {
    ...{ buildId: 1, releaseNotes: 'Second.', minNativeVersion: '1.3', nativeRange: null, fingerprint: 'beef' },
    ...{ mandatory: true, audience },
  },
  RolloutChanged: { buildId: 1, rolloutPercentage: 50, enabled: false, ring: 'stable', planRevision: 1 },
  BuildRecalled: {
    ...{ buildId: 1, appId: 7, channel: 'production', version: '1.0.0', platform: 'ios', checksum: hash },
    ...{ reason: 'White screen.', target: 3, everywhere: true },
  },
  BuildRepublished: {
    ...build,
    ...{ buildId: 5, version: '1.1.1', recallOf: 1, republishedFromId: 3, republishedVersion: '1.1.0' },
    signedByServer: true,
  },
  BuildUnrecalled: { buildId: 1 },
  BuildRetried: { buildId: 1, retries: 1 },
  PinsChanged: { buildId: 1, added: 2, removed: 1, devices: 4, until: AT },
  BuildArchived: { buildId: 1 },
  BuildFailed: { buildId: 3, error: 'No zip.' },
  BuildDeleted: { buildId: 1, objectKey: 'bundles/1.zip', jobId: '01JGFJJZ000000000000000000' },
  ChannelClosed: { appId: 7, channel: 'production' },
};

const plan = { appId: 7, buildId: 1 };
const basis = { channel: 'production', channelRevision: 4, manualRevision: 2 } as const;
const planned: Examples<PlanEvent> = {
  PlanSet: {
    ...{ ...plan, version: '1.0.0', baseline: { buildId: 3, finished: 2_000, failed: 10 }, basis },
    steps: [{ percentage: 5, holdMinutes: 60, minDevices: 500 }],
    ...{ failureThreshold: 2, silenceAfterMinutes: 1_440, silenceThreshold: 50 },
    windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '09:00', to: '17:00' }],
    ...{ timeZone: 'Europe/Berlin', startAt: AT, onFail: 'hold', webhookUrl: 'https://gate.example.com/sluice' },
    template: 'careful',
  },
  StepDue: { ...plan, step: 1 },
  StepSkipped: { ...plan, step: 0 },
  PlanStepsChanged: { ...plan, steps: [{ percentage: 5, holdMinutes: 60, minDevices: 500 }] },
  StepEntered: { ...plan, step: 1, percentage: 5, basis },
  GateJudged: {
    ...{ ...plan, step: 1, verdict: 'inconclusive', reasons: ['Too few devices.'] },
    ...{ finished: 10, failed: 1, leftOut: 2, rate: 0.1, bound: 0.01, limit: 0.02, downloaded: 12, silent: 2 },
    webhook: { verdict: 'pass', reason: 'No new crashes.' },
  },
  PlanHeld: { ...plan, because: 'manual' },
  PlanResumed: plan,
  PlanCompleted: plan,
  PlanAborted: {
    ...{ ...plan, because: 'failed', change: 'RolloutChanged' },
    action: { type: 'halt', reason: 'Too many devices fail.', basis },
  },
};

const job: Examples<JobEvent> = {
  JobQueued: { appId: 7, channel: 'production', buildId: 1 },
  JobClaimed: { holder: 'worker-1', attempt: 1 },
  JobRenewed: { holder: 'worker-1' },
  JobAttemptFailed: { attempt: 1, error: 'No zip.', retryAfterMs: 1_000 },
  JobReleased: { attempt: 2 },
  JobLost: { error: 'The worker stopped answering.' },
  JobCompleted: {},
  JobFailed: { error: 'No zip.' },
};

const secret = { preview: 'svc_app_0000…ffff', hash, sealId: 'apiKey-1' };
const apiKey: Examples<ApiKeyEvent> = {
  ApiKeyCreated: { id: 1, appId: 7, name: 'web', ...secret, channel: 'pr-123.1', platform: 'ios', imported: true },
  ApiKeyRotated: { id: 1, ...secret, formerSealId: 'apiKey-1' },
  ApiKeyRestricted: {
    id: 1,
    restrictions: {
      origins: ['https://app.example.com'],
      android: [{ package_name: 'com.example', sha256: ['AA'], sha1: ['BB'] }],
      ios: [{ bundle_id: 'com.example', team_id: 'TEAM' }],
      channels: ['pr-123'],
    },
  },
  ApiKeyDeprecated: { id: 1 },
  ApiKeyRevoked: { id: 1, formerSealId: 'apiKey-2' },
  ApiKeyDeleted: { id: 1, formerSealId: 'apiKey-2' },
  ApiKeysClosed: { appId: 7 },
};

const keyTexts: Examples<KeyTextEvent> = {
  KeyTextTaken: { id: 1, appId: 7, channel: 'pr-123.1' },
  KeyTextReleased: { id: 1 },
};

const formerKeystore = { formerObjectKey: 'keystores/0', formerSealId: 'keystore-0' };
const backup: Examples<KeystoreEvent> = {
  KeystoreStored: {
    appId: 7,
    originalName: 'upload.jks',
    size: 10,
    sha256: hash,
    objectKey: 'keystores/1',
    sealId: 'keystore-1',
    ...formerKeystore,
  },
  KeystoreDeleted: { appId: 7, ...formerKeystore },
  KeystoreClosed: { appId: 7 },
};

const key = (id: number) => ({
  id,
  appId: 7,
  name: 'default',
  scheme: 'pkcs1v15' as const,
  publicKey: 'PEM',
  fingerprint: hash,
  sealId: `signingKey-${id}`,
});
const signing: Examples<SigningKeyEvent> = {
  SigningKeyCreated: key(1),
  SigningKeyRotated: { ...key(2), formerId: 1, formerSealId: 'signingKey-1' },
  SigningKeyRolledOver: { ...key(3), formerId: 2 },
  FormerSigningKeyRetired: { appId: 7, id: 2, sealId: 'signingKey-2' },
  SigningKeyClosed: { appId: 7, formerId: 3, formerSealId: 'signingKey-3', sealIds: ['signingKey-3'] },
};

const listings: Examples<MerchantEvent> = {
  ListingsModuleEnabled: {},
  EntitlementGranted: {},
  MerchantConnected: { connectionId: 'c1', connectedAt: AT, adapter: 'merchant_api_v1', scopes: ['content'] },
  MerchantAccountChosen: { connectionId: 'c1', accountId: '123', name: 'Shop' },
  FeedSettingsChanged: {
    changes: {
      target_country: 'DE',
      content_language: 'de',
      channel: 'online',
      include_variations: true,
      include_out_of_stock: false,
      shipping_settings: { mode: 'rates', rates: [{ country: 'DE', service: 'Post', price: '4.99 EUR' }] },
      tax_settings: { prices_include_tax: true, mode: 'rates', rates: [{ country: 'DE', rate: 19 }] },
      category_mappings: [{ source_category: 'a', google_product_category: '1', product_type: 'b' }],
    },
  },
  SyncSettingsChanged: {
    changes: {
      sync_interval_minutes: 720,
      batch_size: 50,
      concurrency: 4,
      max_retries: 5,
      refresh_after_days: 25,
      log_retention_days: 30,
      delete_missing: true,
      max_delete_ratio: 0.5,
    },
  },
  OfferPrefixFrozen: { prefix: 'shop' },
  SyncRunStarted: { runId: 'r1', runType: 'single', trigger: 'manual', productId: '7', startedAt: AT },
  SyncRunEnded: { runId: 'r1', outcome: 'completed' },
  SyncLogsPruned: { before: AT },
  ConnectionNeedsReauthorization: { connectionId: 'c1' },
  MerchantDisconnected: { connectionId: 'c1' },
  EntitlementRevoked: {},
  ListingsModuleDisabled: {},
};

const target = { targetCountry: 'DE', contentLanguage: 'de', channel: 'online' } as const;
const offer = { offerId: 'o1', productId: '7', variationId: '8', itemGroupId: '7', isNew: true, hash };
const refusal = { code: 'invalid', message: 'Invalid.' };
const outage = { fault: 'timeout', message: 'Timeout.' } as const;
const run: Examples<SyncRunEvent> = {
  SyncRunOpened: {
    order: { runId: 'r1', runType: 'single', trigger: 'manual', productId: '7', startedAt: AT },
    settings: listings.SyncSettingsChanged.changes as Required<typeof listings.SyncSettingsChanged.changes>,
  },
  SyncRunTaken: { holder: 'worker-1' },
  OffersTried: { target, tried: [offer] },
  OffersSent: {
    target,
    sent: [{ ...offer, remoteProductId: 'p1' }],
    refused: [{ ...offer, ...refusal, passing: true }],
    outage,
  },
  OffersDeleted: { deleted: ['m1'], refused: [{ id: 'm2', ...refusal }], outage },
  StatusesRead: {
    statuses: [
      {
        id: 'm1',
        remoteProductId: 'p1',
        listingStatus: 'approved',
        issues: [
          {
            code: 'image',
            severity: 'demoted',
            attribute: 'image link',
            description: 'Small.',
            detail: 'Small.',
            documentation: 'https://example.com',
            countries: ['DE'],
          },
        ],
        expiresAt: AT,
      },
    ],
    missing: ['m3'],
    resurfaced: ['m4'],
  },
  CatalogRead: { offers: 3 },
  SyncRunClosed: {
    outcome: 'partial',
    skipped: 1,
    error: 'Some failed.',
    details: {},
    counts: { processed: 1, failed: 2, deleted: 1 },
  },
};

const registered: Examples<AppsEvent> = {
  AppRegistered: {
    id: 7,
    ownerId: 1,
    appId: 'com.example.app',
    bundleId: 'com.example.app',
    name: 'Shop',
    description: 'Sells.',
    platform: 'both',
    tokenId: 3,
  },
  AppRemoved: { id: 7 },
};

const edited: Examples<AppEvent> = {
  AppEdited: {
    id: 7,
    name: 'Store',
    description: 'Sells more.',
    platform: 'ios',
    signingKeyRotation: 'owner_only',
    uniqueSignatures: true,
    keepBuilds: 5,
    defaultRollout: { production: 'careful', staging: 50, development: 100 },
    attributes: { plan: 'string', os: 'version' },
    defaultChannels: { ios: 'beta', android: 'staging', web: 'beta', all: 'production' },
    channelAliases: { 'Beta testers': 'beta.1' },
  },
  AppRemovalStarted: { id: 7 },
};

const grouped: Examples<GroupEvent> = {
  GroupReplaced: { appId: 7, name: 'beta', revision: 1, objectKey: 'groups/7/1.bin', size: 10, keyVersion: 1 },
  GroupDeleted: { appId: 7, name: 'beta' },
  GroupsClosed: { appId: 7 },
};

const templates: Examples<PlanTemplateEvent> = {
  PlanTemplateSet: { appId: 7, name: 'careful', rules },
  PlanTemplateDeleted: { appId: 7, name: 'careful' },
};

const preview = { appId: 7, id: 'pr-123.1', name: 'pr-123' } as const;
const added: Examples<ChannelsEvent> = {
  ChannelAdded: { ...preview, expiresAt: AT, selfAssign: true },
  ChannelEdited: { ...preview, expiresAt: AT, selfAssign: true },
  ChannelAudienceSet: {
    ...preview,
    audience: { groups: ['beta'], attributes: { plan: { in: ['pro', 'team'] }, os: { range: '>=17' } } },
  },
  ChannelPinsChanged: { ...preview, added: 2, removed: 1, devices: 2, until: AT },
  ChannelExpiryDue: preview,
  ChannelRemoved: preview,
  ChannelForgotten: preview,
  ChannelsClosed: { appId: 7 },
};

const owned: Examples<OwnerEvent> = {
  OwnerCreated: { id: 2, name: 'tenant', hash, sealId: 'shown-1' },
  OwnerKeyRotated: { id: 2, hash: 'b'.repeat(64), sealId: 'shown-2', formerSealId: 'shown-1' },
  OwnerSuspended: { id: 2, reason: 'unpaid', stopDevices: true },
  OwnerResumed: { id: 2 },
};

const grant = { id: 3, name: 'ci', permissions: ['manage'], allApps: false, apps: [7], expiresAt: AT } as const;
const issued: Examples<TokenEvent> = {
  TokenIssued: { ...grant, ownerId: 1, hash, sealId: 'shown-1' },
  TokenEdited: { ...grant, ownAppsAfter: 7 },
  TokenRotated: { id: 3, hash: 'b'.repeat(64), sealId: 'shown-2', formerSealId: 'shown-1' },
  TokenRevoked: { id: 3, formerSealId: 'shown-2' },
};

export interface GoldenStream {
  readonly decider: Pick<Decider<unknown, never, DomainEvent>, 'initialState' | 'evolve'>;
  /** By type. */
  readonly examples: Readonly<Record<string, object>>;
}

/** One example pair for each kind of stream; does not compile as long as a type or a member is missing. */
function stream<State, Event extends DomainEvent>(
  decider: Pick<Decider<State, never, Event>, 'initialState' | 'evolve'>,
  examples: Examples<Event>,
): GoldenStream {
  return { decider: decider as unknown as GoldenStream['decider'], examples };
}

/** Every event type of this release, by the kind of stream that holds it. */
export const STREAMS: Readonly<Record<string, GoldenStream>> = {
  apiKeys: stream(apiKeys, apiKey),
  keyText: stream(keyText, keyTexts),
  app: stream(app, edited),
  apps: stream(apps, registered),
  channel: stream(channelDecider, channel),
  groups: stream(groups, grouped),
  installation: stream(installation, { InstallationFormatRaised: { format: 1 } }),
  channels: stream(channels, added),
  job: stream(jobDecider, job),
  keystore: stream(keystore, backup),
  merchant: stream(merchant, listings),
  owner: stream(owner, owned),
  plan: stream(planDecider, planned),
  planTemplates: stream(planTemplates, templates),
  sequence: stream(sequence, { BlockReserved: { first: 1, size: 64 } }),
  signingKey: stream(signingKey, signing),
  syncRun: stream(syncRun, run),
  token: stream(token, issued),
};
