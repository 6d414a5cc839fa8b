import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Collection, Query, Row, Where } from '@sluice/document-store';
import { filterOf, sortOf } from '../../libs/document-store/mongodb/documents';
import { indexesOf, viewIndexesOf } from '../../libs/document-store/mongodb/indexes';
import { entryRows } from '../../libs/history/history';
import { sealed } from '../../libs/vault/vault';
import { buildMetadataRows } from '../../services/build-pipeline/builds/build-metadata';
import { buildRows, bundleClaims, releasedBundles } from '../../services/build-pipeline/builds/builds.projection';
import { formerBuildRows, notesRows, standingBuilds } from '../../services/build-pipeline/builds/former-builds';
import { planRows } from '../../services/build-pipeline/plans/plans.projection';
import { jobRows } from '../../services/build-pipeline/jobs/jobs.projection';
import { chosenChannels } from '../../services/device-updates/devices/chosen-channels';
import { devicePins } from '../../services/device-updates/devices/device-pins';
import { formerMetrics } from '../../services/device-updates/reports/channel-statistics-sweep';
import { checkCounts } from '../../services/device-updates/reports/check-counts';
import { deviceReports } from '../../services/device-updates/reports/device-reports';
import { deviceStates } from '../../services/device-updates/reports/device-states';
import { offeredDevices } from '../../services/device-updates/reports/offered-devices';
import { reportErrors } from '../../services/device-updates/reports/report-errors';
import { reportTotals } from '../../services/device-updates/reports/report-counts';
import { rolledBackDevices } from '../../services/device-updates/reports/rolled-back-devices';
import { removedApps } from '../../services/device-updates/reports/removed-app-sweep';
import {
  servingBuilds,
  servingGroups,
  servingNames,
  servingRecalls,
  servingRepublished,
} from '../../services/device-updates/serving/serving.projection';
import { signedVersions } from '../../services/device-updates/signing/signed-versions.projection';
import { signedStatements } from '../../services/device-updates/signing/signed-statements';
import { idempotencyRecords } from '../../services/gateway/idempotency/idempotency';
import { sessions } from '../../services/gateway/access/sessions';
import { limitUsage } from '../../services/gateway/limits/shared-limiter';
import { apiKeyUsage } from '../../services/keys/api-keys/api-key-usage';
import { apiKeyRows } from '../../services/keys/api-keys/api-keys.projection';
import { keystoreRows } from '../../services/keys/keystores/keystores.projection';
import { listedSigningKeyRows } from '../../services/keys/signing-keys/signing-keys.projection';
import { oauthStates } from '../../services/merchant-sync/connection/oauth-states';
import { deliveryRows } from '../../services/merchant-sync/webhook/webhook-deliveries';
import { mappingRows } from '../../services/merchant-sync/runs/mappings.projection';
import { syncLogRows } from '../../services/merchant-sync/runs/sync-logs.projection';
import { tokenUsage } from '../../services/registry/tokens/token-usage';
import { deviceGroupRows } from '../../services/registry/device-groups/device-groups.projection';
import { channelRows, closedChannelRows } from '../../services/registry/channels/channels.projection';
import { appRows } from '../../services/registry/apps/apps.projection';
import { ownedAppRows } from '../../services/registry/apps/owned-apps.projection';
import { ownerRows } from '../../services/registry/owners/owners.projection';
import { tokenRows } from '../../services/registry/tokens/tokens.projection';

/** The documents of one collection in MongoDB, as a view of the read store or as rows of the state store. */
interface Stored {
  readonly name: string;
  readonly indexes: readonly (readonly string[])[];
  readonly within: object;
}

interface Asked {
  readonly of: Stored;
  readonly what: string;
  /** What is wrong with it; undefined: an index serves it. */
  readonly fault: string | undefined;
  readonly indexes: readonly (readonly string[])[];
}

const ROOT = join(__dirname, '..', '..');

function view<R extends Row>(collection: Collection<R>) {
  return questions<R>(`view ${collection.name}`, viewIndexesOf(collection), { _gone: '' });
}

function rows<R extends Row>(collection: Collection<R>) {
  return questions<R>(`rows ${collection.name}`, indexesOf(collection), {});
}

function questions<R extends Row>(name: string, made: readonly { readonly key: object }[], within: object) {
  const of: Stored = { name, indexes: [['_id'], ...made.map(({ key }) => Object.keys(key))], within };
  const asked = (what: string, question: object, indexes: readonly (readonly string[])[]): Asked => ({
    ...{ of, what: `${what} ${JSON.stringify(question)}`, indexes },
    fault: indexes.length > 0 ? undefined : `${name}: no index serves ${what} ${JSON.stringify(question)}`,
  });
  return {
    /** Answered by the keys of one index, of those rows alone that fit by its first field. */
    count: (where: Where<R> = {}) =>
      asked(
        'count',
        where,
        of.indexes.filter((key) => isBounded(key, where, of) && holds(key, where, of)),
      ),
    /** Found by the first field of an index; a page also comes in its order, so that nothing is sorted. */
    find: (query: Query<R>) =>
      asked(
        'find',
        query,
        of.indexes.filter((key) => isBounded(key, query.where, of) && isPage(key, query, of)),
      ),
    /** The first few in the order of an index, whatever it passes over. */
    first: (query: Query<R> & { readonly limit: number }) =>
      asked(
        'first',
        query,
        of.indexes.filter((key) => isPage(key, query, of)),
      ),
    /** Deleted, or counted by their values. */
    each: (where: Where<R>) =>
      asked(
        'each',
        where,
        of.indexes.filter((key) => isBounded(key, where, of)),
      ),
    /** All of few rows, or a walk that is meant; `why` says which. */
    all: (why: string) => asked('all', { why }, [['_id']]),
  };
}

function isBounded<R extends Row>([first = '']: readonly string[], where: Where<R> | undefined, { within }: Stored) {
  const own = Object.keys(filterOf(where));
  return own.length > 0 ? own.includes(first) : first in within;
}

const holds = <R extends Row>(key: readonly string[], where: Where<R>, { within }: Stored): boolean =>
  Object.keys({ ...filterOf(where), ...within }).every((field) => key.includes(field));

/** Whether an index has the rows in the order that is asked for: behind fields that each have one value. */
function isPage<R extends Row>(key: readonly string[], { where, sort, limit }: Query<R>, { within }: Stored): boolean {
  if (limit === undefined) return true;
  const filter: Record<string, unknown> = { ...filterOf(where), ...within };
  const single = ([field, condition]: [string, unknown]) =>
    typeof condition === 'object' && condition !== null && '$eq' in condition ? [field] : [];
  const equal = new Set(Object.entries(filter).flatMap(single));
  const wanted = sortOf(sort) as [string, 1 | -1][];
  const [[, direction] = ['', 1]] = wanted;
  if (wanted.some(([, each]) => each !== direction)) return false;
  const order = wanted.map(([field]) => field).filter((field) => !equal.has(field));
  const offered = key.filter((field) => !equal.has(field));
  return order.every((field, at) => offered[at] === field);
}

const PAGE = { offset: 100, limit: 50 } as const;
const TEXT = { gte: 'a', lt: 'b' } as const;

const builds = [{}, { channel: 'beta' }, { status: 'active' }, { channel: 'beta', status: 'active' }] as const;
const sealedRows = rows(sealed('secrets'));

/** How many calls of a store each file has, and what they ask. */
const QUERIES: Readonly<Record<string, readonly [calls: number, ...Asked[]]>> = {
  'libs/document-store/outbox.ts': [
    0,
    rows({ name: 'tokenUseOutbox', indexes: [] }).all('what stopped processes left'),
  ],
  // rowPages, of every view; findPage asks what its callers name.
  'libs/document-store/row-pages.ts': [1, view(servingBuilds).find({ where: { id: { gt: 'a' } }, limit: 50 })],
  'libs/history/history.ts': [
    5,
    view(entryRows).find({ where: { stream: 's', until: { lte: 1 } }, sort: latest('until'), limit: 1 }),
    view(entryRows).find({ where: { stream: 's', until: { gte: 1 } }, sort: [['until', 'asc']], limit: 1 }),
    // An app's entries are counted, and paged through, by the keys of an index.
    view(entryRows).each({ appId: 1, type: 'BuildAccepted' }),
    view(entryRows).each({ appId: 1, actor: 'token:1' }),
    view(entryRows).each({ appId: 1, subject: 'build', subjectId: 1 }),
    view(entryRows).find({ where: { appId: 1 }, sort: [['id', 'desc']], ...PAGE }),
    view(entryRows).find({ where: { appId: 1, id: { lt: 'a' } }, sort: [['id', 'desc']], limit: 50 }),
    view(entryRows).find({ where: { id: { in: ['a'] } }, sort: [['id', 'desc']] }),
  ],
  // The rows of a part are followed by the app or the channel that the part's own projection asks by.
  'libs/history/part.ts': [1],
  'libs/vault/data-keys.ts': [1, sealedRows.find({ where: { id: TEXT } })],
  'libs/vault/reseal.ts': [
    3,
    sealedRows.find({ where: { id: { gt: 'a' } }, limit: 50 }),
    sealedRows.count({ keyId: 'k' }),
    sealedRows.find({ where: { keyId: 'k' } }),
  ],
  'libs/vault/vault.ts': [
    2,
    sealedRows.find({ where: { id: TEXT }, limit: 50 }),
    sealedRows.all('the tokens of a merchant connection: a handful'),
  ],
  'services/build-pipeline/builds/build-metadata.ts': [
    1,
    rows(buildMetadataRows).find({ where: { id: { in: ['1'] } } }),
  ],
  'services/build-pipeline/builds/builds-as-of.ts': [
    5,
    // The keys of one channel's builds are sorted for a page.
    view(standingBuilds).each({ stream: 's', since: { lte: 1 } }),
    view(standingBuilds).count({ stream: 's', since: { lte: 1 }, status: 'active' }),
    view(formerBuildRows).count({ stream: 's', fork: { in: [1] }, from: { lte: 1 }, to: { gt: 1 }, status: 'active' }),
    view(formerBuildRows).find({ where: { id: { gt: 'a', lt: 'b' } }, limit: 1 }),
    view(notesRows).find({ where: { id: { in: ['n'] } } }),
  ],
  'services/build-pipeline/jobs/count-jobs.ts': [1, view(jobRows).count({ status: 'failed' })],
  'services/build-pipeline/plans/count-plans.ts': [
    3,
    view(planRows).count({ status: 'failed' }),
    view(planRows).find({ where: { status: 'held' } }),
  ],
  // By their ids alone.
  'services/build-pipeline/plans/plan-runner.ts': [
    0,
    view(planRows).find({ where: { status: { in: ['running', 'held'] } } }),
  ],
  'services/build-pipeline/storage/stored-bundles.ts': [1, view(bundleClaims).each({ app_id: { in: [1] } })],
  'services/build-pipeline/retention/build-retention.ts': [
    2,
    view(buildRows).count({ app_id: 1, channel: 'beta' }),
    view(buildRows).each({ app_id: 1, channel: 'beta' }),
  ],
  'services/build-pipeline/plans/health.handlers.ts': [1, view(planRows).find({ where: { id: { in: ['1'] } } })],
  'services/build-pipeline/storage/bundle-sweep.ts': [
    2,
    view(bundleClaims).find({ where: { object_key: { in: ['o'] } } }),
    view(releasedBundles).find({ where: { object_key: { in: ['o'] } } }),
  ],
  'services/build-pipeline/builds/builds.projection.ts': [
    1,
    view(releasedBundles).each({ app_id: 1, channel: TEXT, released_at: { lt: '1' } }),
  ],
  'services/build-pipeline/jobs/jobs.projection.ts': [1, view(jobRows).each({ app_id: 1, channel: 'beta' })],
  'services/build-pipeline/jobs/due-jobs.ts': [
    1,
    view(jobRows).find({ where: { status: { in: ['pending', 'processing'] }, turn: { gt: 0 } } }),
  ],
  'services/build-pipeline/inspection/index-backfill.ts': [
    1,
    view(buildRows).find({ where: { object_key: 'o', status: { in: ['active', 'paused'] } }, limit: 1 }),
  ],
  'services/build-pipeline/jobs/job-worker.ts': [1, view(buildRows).find({ where: { object_key: 'o' }, limit: 2 })],
  'services/device-updates/reports/active-devices.ts': [
    2,
    rows(deviceReports).each({ appId: 1, day: { in: ['1'] }, metric: TEXT }),
  ],
  'services/device-updates/reports/build-counts.ts': [
    1,
    rows(deviceReports).each({ appId: 1, day: { in: ['1'] }, metric: { in: ['m'] } }),
  ],
  'services/device-updates/reports/channel-statistics-sweep.ts': [
    2,
    rows(formerMetrics).find({ where: { dueAt: { lte: 1 } }, sort: [['dueAt', 'asc']], limit: 50 }),
    rows(deviceReports).each({ day: { in: ['1'] }, appId: 1, metric: TEXT }),
  ],
  'services/device-updates/reports/device-reports.ts': [
    4,
    rows(deviceReports).find({ where: { id: { in: ['1'] } } }),
    rows(deviceStates).find({ where: { id: { in: ['1'] } } }),
    rows(deviceStates).each({ id: { in: ['1'] } }),
  ],
  'services/device-updates/reports/device-states.ts': [1, rows(deviceStates).each({ day: { in: ['1'] }, appId: 1 })],
  'services/device-updates/reports/gate.handlers.ts': [
    4,
    rows(deviceReports).count({ day: { in: ['1'] }, appId: 1, metric: { in: ['m'] } }),
    rows(deviceReports).each({ day: { in: ['1'] }, appId: 1, metric: { in: ['m'] } }),
    rows(deviceReports).each({ day: { in: ['1'] }, appId: 1, metric: 'm', at: { lte: '1' } }),
  ],
  'services/device-updates/reports/latest-reports.ts': [
    3,
    rows(reportTotals).find({ where: { id: TEXT } }),
    rows(deviceReports).each({ day: { in: ['1'] }, appId: { in: [1] }, metric: TEXT }),
  ],
  'services/device-updates/reports/offered-devices.ts': [
    1,
    rows(offeredDevices).find({ where: { id: { in: ['1'] } } }),
  ],
  'services/device-updates/reports/report-budgets.ts': [1, rows(deviceReports).count({ day: '1', appId: 1 })],
  'services/device-updates/reports/report-counts.ts': [
    6,
    rows(reportTotals).find({ where: { appId: 1, metric: TEXT, day: { gte: '1', lte: '2' } } }),
    rows(reportTotals).find({ where: { appId: { in: [1] }, metric: { in: ['m'] }, day: { gte: '1', lte: '2' } } }),
    rows(deviceReports).each({ appId: { in: [1] }, metric: { in: ['m'] }, day: { in: ['1'] } }),
    rows(deviceReports).each({ appId: 1, metric: TEXT, day: { in: ['1'] } }),
    rows(checkCounts).find({ where: { appId: 1, metric: TEXT, day: { gte: '1', lte: '2' } } }),
    rows(deviceReports).each({ day: { in: ['1'] }, appId: 1, metric: { in: ['m'] }, errorId: { gt: '' } }),
    rows(deviceReports).each({ day: { in: ['1'] }, appId: 1, metric: { in: ['m'] }, error: { gt: '' } }),
  ],
  'services/device-updates/reports/report-errors.ts': [
    2,
    rows(reportErrors).find({ where: { id: { in: ['1'] } } }),
    rows(reportErrors).find({ where: { id: TEXT }, limit: 100 }),
  ],
  'services/device-updates/reports/delete-in-parts.ts': [
    1,
    rows(deviceReports).each({ day: { lt: '1', lte: '2' } }),
    rows(deviceReports).each({ id: TEXT }),
    rows(reportErrors).each({ day: { lt: '1', lte: '2' } }),
    rows(reportErrors).each({ id: TEXT }),
    rows(deviceReports).each({ day: '1', appId: 1, metric: TEXT }),
    rows(deviceReports).each({ day: { in: ['1'] }, appId: 1, metric: TEXT }),
    rows(checkCounts).each({ appId: 1, metric: TEXT }),
    rows(reportTotals).each({ appId: 1, metric: TEXT }),
    rows(deviceStates).each({ day: { lt: '1' } }),
    rows(deviceStates).each({ id: TEXT }),
    rows(checkCounts).each({ id: TEXT }),
    rows(offeredDevices).each({ id: TEXT }),
    rows(reportTotals).each({ id: TEXT }),
    rows(rolledBackDevices).each({ at: { lt: 1 } }),
    rows(rolledBackDevices).each({ id: TEXT }),
    rows(devicePins).each({ expiresAt: { lt: 1 } }),
    rows(devicePins).each({ id: TEXT }),
    rows(chosenChannels).each({ expiresAt: { lt: 1 } }),
    rows(chosenChannels).each({ id: TEXT }),
    rows(chosenChannels).each({ appId: 1, channel: 'beta.1' }),
  ],
  'services/device-updates/reports/removed-app-sweep.ts': [1, rows(removedApps).all('apps removed within two days')],
  'services/device-updates/reports/report-retention.ts': [
    5,
    rows(deviceReports).each({ day: { gt: '1', lte: '2' } }),
    rows(deviceReports).each({ day: '1' }),
    rows(reportTotals).find({ where: { id: TEXT } }),
    rows(deviceReports).each({ day: '1', appId: 1, metric: TEXT }),
  ],
  'services/device-updates/reports/running-devices.ts': [
    1,
    rows(deviceStates).each({ day: { in: ['1'] }, appId: { in: [1] } }),
  ],
  'services/device-updates/reports/rolled-back-devices.ts': [
    1,
    rows(rolledBackDevices).find({ where: { id: { in: ['1'] } } }),
    rows(rolledBackDevices).each({ id: { in: ['1'] } }),
  ],
  'services/device-updates/devices/followed-rows.ts': [
    1,
    rows(rolledBackDevices).find({ where: { id: { gt: '' } }, limit: 1_000 }),
    rows(rolledBackDevices).find({ where: { at: { gte: 1 } }, sort: [['at', 'asc']], ...PAGE }),
    rows(devicePins).find({ where: { id: { gt: '' } }, limit: 1_000 }),
    rows(devicePins).find({ where: { at: { gte: 1 } }, sort: [['at', 'asc']], ...PAGE }),
    rows(chosenChannels).find({ where: { id: { gt: '' } }, limit: 1_000 }),
    rows(chosenChannels).find({ where: { at: { gte: 1 } }, sort: [['at', 'asc']], ...PAGE }),
  ],
  'services/device-updates/channels/choice-store.ts': [1, rows(chosenChannels).find({ where: { id: { in: ['1'] } } })],
  'services/device-updates/groups/group.handlers.ts': [
    1,
    view(servingGroups).find({ where: { appId: 1 }, sort: [['name', 'asc']], ...PAGE }),
    view(servingGroups).count({ appId: 1 }),
  ],
  'services/device-updates/pins/pin-store.ts': [
    5,
    rows(devicePins).count({ id: TEXT }),
    rows(devicePins).all('the pins of all apps, which are bounded'),
    rows(devicePins).count({ appId: 1, target: '1', expiresAt: { gt: 1 } }),
    rows(devicePins).find({
      where: { appId: 1, target: '1', expiresAt: { gt: 1 } },
      sort: [['expiresAt', 'asc']],
      limit: 1,
    }),
    rows(devicePins).find({
      where: { appId: 1, target: '1', expiresAt: { gt: 1 } },
      sort: latest('expiresAt'),
      limit: 1,
    }),
    rows(devicePins).each({ appId: 1, target: '1', expiresAt: { gt: 1 } }),
    rows(devicePins).find({ where: { id: { in: ['1'] } } }),
  ],
  'services/device-updates/pins/pin.handlers.ts': [
    3,
    rows(deviceStates).find({ where: { id: { in: ['1'] } } }),
    rows(devicePins).count({ expiresAt: { gt: 1 } }),
    rows(chosenChannels).count({ expiresAt: { gt: 1 } }),
  ],
  // In memory.
  'services/device-updates/serving/serving-rows.ts': [1],
  'services/device-updates/serving/serving.projection.ts': [
    4,
    view(servingNames).each({ appId: 1 }),
    view(servingGroups).each({ appId: 1 }),
    view(servingRecalls).each({ appId: 1, channel: 'beta' }),
    view(servingRepublished).each({ appId: 1, channel: 'beta' }),
  ],
  'services/device-updates/signing/signed-versions.projection.ts': [
    1,
    view(signedVersions).each({ appId: 1, channel: 'beta' }),
  ],
  'services/device-updates/signing/signed-statements.ts': [
    3,
    rows(signedStatements).find({ where: { id: { gt: 'a' } }, limit: 500 }),
    rows(signedStatements).find({ where: { change: { gt: 1 } }, sort: [['change', 'asc']], limit: 500 }),
    rows(signedStatements).find({ where: { expiresAt: { gt: 0 } }, sort: [['expiresAt', 'asc']], limit: 1 }),
  ],
  'services/gateway/idempotency/idempotency.ts': [1, rows(idempotencyRecords).each({ forgottenAt: { lte: 1 } })],
  'services/gateway/access/sessions.ts': [
    3,
    rows(sessions).each({ endsAt: { lte: 1 } }),
    rows(sessions).find({ where: { ownerId: 1 }, sort: [['endsAt', 'desc']], offset: 100 }),
    // Where an operator ends them all.
    rows(sessions).all('every session'),
  ],
  'services/gateway/limits/shared-limiter.ts': [1, rows(limitUsage).each({ endsAt: { lte: 1 } })],
  'services/keys/signing-keys/signing-keys.projection.ts': [1, view(listedSigningKeyRows).each({ appId: 1 })],
  'libs/service-host/orphan-sweep.ts': [
    2,
    view(buildRows).find({ where: { object_key: { in: ['o'] } } }),
    rows(buildMetadataRows).find({ where: { id: { gt: 'a' } }, limit: 50 }),
    view(listedSigningKeyRows).find({ where: { sealId: { in: ['s'] } } }),
    view(apiKeyRows).find({ where: { sealId: { in: ['s'] } } }),
    view(apiKeyRows).find({ where: { id: { in: ['1'] } } }),
    view(keystoreRows).find({ where: { sealId: { in: ['s'] } } }),
    view(keystoreRows).find({ where: { objectKey: { in: ['o'] } } }),
    view(servingGroups).find({ where: { objectKey: { in: ['o'] } } }),
    rows(apiKeyUsage).find({ where: { id: { gt: 'a' } }, limit: 50 }),
  ],
  'services/merchant-sync/connection/oauth-states.ts': [1, rows(oauthStates).each({ expiresAt: { lte: 1 } })],
  'services/merchant-sync/diagnostics/diagnoses.ts': [
    4,
    view(mappingRows).count({ live: false, resurfaced: true }),
    view(mappingRows).count({ live: true, missing: true }),
    view(mappingRows).count({ live: true, listing_status: 'expiring' }),
    view(mappingRows).count({ live: true, item_failures: { gt: 3 } }),
  ],
  'services/merchant-sync/mappings/mappings.ts': [
    2,
    view(mappingRows).count({ live: true }),
    view(mappingRows).count({ live: true, listing_status: 'pending' }),
    view(mappingRows).find({ where: { live: true }, ...PAGE }),
    view(mappingRows).find({ where: { live: true, listing_status: 'pending' }, ...PAGE }),
    // The offers of one product are few.
    view(mappingRows).each({ live: true, product_id: 'p' }),
    view(mappingRows).find({ where: { live: true, product_id: 'p', listing_status: 'pending' }, ...PAGE }),
  ],
  'services/merchant-sync/runs/sync-logs.ts': [
    3,
    view(syncLogRows).count(),
    view(syncLogRows).first({ sort: latest('started_at'), ...PAGE }),
    view(syncLogRows).first({ where: { completed_at: { gt: '' } }, sort: latest('started_at'), limit: 1 }),
    view(syncLogRows).first({
      where: { completed_at: { gt: '' }, run_type: { in: ['full', 'incremental'] } },
      sort: latest('started_at'),
      limit: 1,
    }),
    view(syncLogRows).first({ where: { catalog_read_at: { gt: '' } }, sort: latest('started_at'), limit: 1 }),
  ],
  'services/merchant-sync/webhook/webhook-deliveries.ts': [
    6,
    rows(deliveryRows).find({
      where: { status: 'waiting' },
      sort: [
        ['at', 'asc'],
        ['place', 'asc'],
      ],
      limit: 50,
    }),
    rows(deliveryRows).count({ status: 'dead' }),
    rows(deliveryRows).find({
      where: { status: 'dead' },
      sort: [
        ['at', 'desc'],
        ['place', 'desc'],
        ['id', 'desc'],
      ],
      ...PAGE,
    }),
    rows(deliveryRows).find({
      where: { status: 'dead', at: { lte: 1 } },
      sort: [
        ['at', 'asc'],
        ['place', 'asc'],
      ],
      limit: 50,
    }),
    rows(deliveryRows).each({ status: 'dead', at: { lt: 1 } }),
    rows(deliveryRows).each({ status: { in: ['waiting', 'dead'] } }),
  ],
  'services/merchant-sync/runs/sync-logs.projection.ts': [
    1,
    view(syncLogRows).each({ started_at: { lt: '1' }, completed_at: { gt: '' } }),
  ],
  'services/merchant-sync/runs/deletions.ts': [
    3,
    view(mappingRows).count({ live: true }),
    // Once in a run, which walks all mappings.
    view(mappingRows).each({ live: true, sync_hash: { gt: '' }, created_at: { lt: '1' } }),
    view(mappingRows).find({ where: { live: true, product_id: { in: ['p'] } } }),
  ],
  'services/merchant-sync/runs/sync-run-worker.ts': [1, view(mappingRows).count({ live: true })],
  'services/merchant-sync/runs/run-scope.ts': [
    1,
    view(mappingRows).each({ live: true, product_id: 'p' }),
    view(mappingRows).find({ where: { live: true, id: { gt: 'a' } }, limit: 50 }),
    view(mappingRows).find({ where: { live: false, resurfaced: true, id: { gt: 'a' } }, limit: 50 }),
    view(mappingRows).find({ where: { live: true, product_id: 'p', id: { gt: 'a' } }, limit: 50 }),
  ],
  'services/merchant-sync/runs/status-reading.ts': [1, view(mappingRows).find({ where: { offer_id: { in: ['o'] } } })],
  'services/merchant-sync/runs/shop-listing.ts': [
    2,
    view(mappingRows).each({ live: true, product_id: 'p' }),
    view(mappingRows).find({ where: { id: { in: ['m'] } } }),
  ],
  'services/merchant-sync/runs/sync-schedule.ts': [
    2,
    view(syncLogRows).first({ where: { completed_at: { gt: '1' } }, sort: latest('started_at'), limit: 1 }),
    view(syncLogRows).each({ started_at: { lt: '1' }, completed_at: { gt: '' } }),
  ],
  // Bounded by TOKEN_LIMIT and by the changes that an owner may make.
  'services/registry/tokens/token-usage.ts': [1, rows(tokenUsage).find({ where: { id: { in: ['1'] } } })],
  'services/build-pipeline/builds/build-resources.ts': [1, view(buildRows).find({ where: { id: { in: ['1'] } } })],
  'services/build-pipeline/builds/plan.handlers.ts': [
    2,
    // Of the 50 apps of a page.
    view(planRows).count({ app_id: { in: [1] }, status: { in: ['held'] } }),
    view(planRows).find({
      where: { app_id: 1, status: 'held' },
      sort: [
        ['position', 'desc'],
        ['id', 'desc'],
      ],
      limit: 50,
    }),
  ],
  'services/build-pipeline/builds/build.handlers.ts': [
    5,
    view(buildRows).find({
      where: { app_id: 1, version: '1.0.0' },
      sort: [
        ['position', 'desc'],
        ['id', 'desc'],
      ],
      limit: 5,
    }),
    view(buildRows).count({ app_id: { in: [1] }, status: { in: ['processing'] } }),
    view(buildRows).find({
      where: { app_id: 1, status: 'paused' },
      sort: [
        ['position', 'desc'],
        ['id', 'desc'],
      ],
      ...PAGE,
    }),
    ...builds.map((more) => view(buildRows).count({ app_id: 1, ...more })),
    ...builds.flatMap((more) =>
      (['asc', 'desc'] as const).map((direction) =>
        view(buildRows).find({
          where: { app_id: 1, ...more },
          sort: [
            ['position', direction],
            ['id', direction],
          ],
          ...PAGE,
        }),
      ),
    ),
  ],
  'services/device-updates/reports/device.handlers.ts': [
    8,
    rows(deviceReports).count({ id: TEXT }),
    rows(deviceReports).count({ id: TEXT }),
    rows(deviceReports).find({ where: { id: TEXT }, ...PAGE }),
    rows(deviceReports).each({ id: TEXT }),
    rows(rolledBackDevices).each({ device: '1' }),
    rows(rolledBackDevices).each({ device: '1' }),
    rows(devicePins).each({ device: '1' }),
    rows(devicePins).each({ device: '1' }),
  ],
  'services/device-updates/reports/stats.handlers.ts': [1, view(signedVersions).find({ where: { appId: 1 } })],
  'services/keys/api-keys/api-key.handlers.ts': [
    3,
    view(apiKeyRows).find({ where: { appId: 1, channel: '' }, sort: [['number', 'asc']], ...PAGE }),
    view(apiKeyRows).count({ appId: 1, channel: '' }),
    view(apiKeyRows).find({ where: { appId: { in: [1] } }, sort: [['appId', 'asc']] }),
    rows(apiKeyUsage).find({ where: { id: { in: ['1'] } } }),
  ],
  'services/keys/signing-keys/signing-key.handlers.ts': [
    1,
    view(listedSigningKeyRows).find({ where: { appId: 1 }, sort: latest('position'), ...PAGE }),
    view(listedSigningKeyRows).count({ appId: 1 }),
  ],
  'services/registry/apps/app.handlers.ts': [
    4,
    view(channelRows).find({ where: { appId: { in: [1] } } }),
    view(appRows).find({ where: { ownerId: 1 }, sort: [['number', 'asc']], ...PAGE }),
    view(appRows).find({ where: { ownerId: 1, number: { in: [1] } }, sort: [['number', 'asc']], ...PAGE }),
    view(appRows).count({ ownerId: 1 }),
    view(appRows).count({ ownerId: 1, number: { in: [1] } }),
    view(ownedAppRows).find({ where: { ownerId: 1 }, sort: [['number', 'asc']], ...PAGE }),
    view(ownedAppRows).find({ where: { ownerId: 1, removed: true }, sort: [['number', 'asc']], ...PAGE }),
    view(ownedAppRows).count({ ownerId: 1 }),
    view(ownedAppRows).count({ ownerId: 1, removed: true }),
    view(appRows).find({ where: { number: { gt: 1 } }, sort: [['number', 'asc']], limit: 50 }),
  ],
  'services/registry/device-groups/device-groups.projection.ts': [1, view(deviceGroupRows).each({ appId: 1 })],
  'services/registry/channels/channels.projection.ts': [
    2,
    view(channelRows).each({ appId: 1 }),
    view(closedChannelRows).each({ appId: 1 }),
  ],
  'services/registry/channels/channel-expiry.ts': [
    2,
    view(channelRows).find({ where: { dueAt: { gt: 0, lte: 1 } }, sort: [['dueAt', 'asc']], limit: 50 }),
    view(closedChannelRows).find({ where: { removedAt: { lte: 1 } }, sort: [['removedAt', 'asc']], limit: 50 }),
  ],
  'services/registry/tokens/token.handlers.ts': [
    3,
    view(tokenRows).find({ where: { ownerId: 1 }, sort: [['number', 'asc']], ...PAGE }),
    view(tokenRows).count({ ownerId: 1 }),
    view(appRows).find({ where: { ownerId: 1 }, sort: [['number', 'asc']] }),
    view(tokenRows).each({ ownerId: 1, revoked: false }),
  ],
  'services/registry/owners/owner.handlers.ts': [
    1,
    view(ownerRows).first({ sort: [['number', 'asc']], ...PAGE }),
    view(ownerRows).count(),
  ],
};

function latest<Field extends string>(field: Field): (readonly [Field | 'id', 'desc'])[] {
  return [
    [field, 'desc'],
    ['id', 'desc'],
  ];
}

/**
 * A call of a store: `find` and `count` of an object, or one so named; of nothing, where rows or a view are asked.
 * Others find what they hold by the same word.
 */
const CALL = new RegExp(
  [
    String.raw`\.(?:find|count)\((?=\s*\{|where\)|query\))`,
    String.raw`(?<=[rR]ows|view|removed|\))\s*\.(?:find|count)\(\)`,
    String.raw`\.(?:countBy|deleteWhere)\(|\bfindPage\(`,
  ].join('|'),
  'g',
);

const OTHERS = /\.(spec|contract|engine)\.ts$|\/document-store\/(?!row-pages)|\/(cli|error-tracking|telemetry)\//;

/** By file, how often a store is asked there. */
function calls(): Record<string, number> {
  const found: Record<string, number> = {};
  for (const folder of ['libs', 'services']) {
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      const file = `${folder}/${entry}`;
      if (!file.endsWith('.ts') || OTHERS.test(file)) continue;
      const count = readFileSync(join(ROOT, file), 'utf8').match(CALL)?.length ?? 0;
      if (count > 0) found[file] = count;
    }
  }
  return found;
}

describe('what the services ask of MongoDB', () => {
  const asked = Object.values(QUERIES).flatMap(([, ...questionsOfFile]) => questionsOfFile);

  it('names every call of a store: a new one must be described here', () => {
    const named = Object.entries(QUERIES).flatMap(([file, [count]]) => (count === 0 ? [] : [[file, count]]));
    expect(calls()).toEqual(Object.fromEntries(named));
  });

  it('is served by an index that is declared: nothing looks through a collection', () => {
    expect(asked.flatMap(({ fault }) => fault ?? [])).toEqual([]);
  });

  it('needs every index that is declared', () => {
    const used = new Map<string, Set<string>>();
    for (const { of, indexes } of asked) {
      const keys = used.get(of.name) ?? new Set();
      used.set(of.name, keys);
      for (const key of indexes) keys.add(key.join('+'));
    }
    const declared = new Map(asked.map(({ of }) => [of.name, of.indexes]));
    const idle = [...declared].flatMap(([name, indexes]) =>
      indexes
        .map((key) => key.join('+'))
        // Tombstones are found by one that every view has, and rows by their ids.
        .filter((key) => key !== '_gone' && key !== '_id' && !used.get(name)?.has(key))
        .map((key) => `${name}: ${key}`),
    );
    expect(idle).toEqual([]);
  });
});
