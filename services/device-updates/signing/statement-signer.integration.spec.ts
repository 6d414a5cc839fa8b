import { createHash } from 'node:crypto';
import { eventually, recordingLogger } from '@sluice/testing';
import { signedStatements, SignedStatements, type KeySignature, type SignedStatement } from './signed-statements';
import { StatementSigner } from './statement-signer';
import { statementFailures } from '@sluice/telemetry';
import { ServingIndex } from '../serving/serving-index';
import { signing } from '../../../test/support/key-services';
import { buildFacts, openDeviceStores, type DeviceStores } from '../../../test/support/device-plane';

const HOUR = 3_600_000;

let stores: DeviceStores;
let closing: (() => Promise<unknown>)[];
/** Which keys sign() signs by: the ids of the keys that are trusted. */
let trusted: number[];
let signed: string[];
let refusal: Error | undefined;

beforeEach(async () => {
  stores = await openDeviceStores();
  closing = [];
  trusted = [7];
  signed = [];
  refusal = undefined;
  await stores.registerApp(1);
});

afterEach(async () => {
  for (const close of closing.reverse()) await close();
  await stores.close();
});

/** Signatures are named by what they sign and the key, so that tests can read them. */
const sign = (_appId: number, digest: string): Promise<KeySignature[]> => {
  if (refusal !== undefined) return Promise.reject(refusal);
  signed.push(digest);
  return Promise.resolve(trusted.map((key_id) => ({ key_id, signature: `${key_id}:${digest}` })));
};

async function openProcess() {
  const { events, documents, members, messaging, clock } = stores;
  const logger = recordingLogger();
  const index = new ServingIndex({ events, documents, members, logger });
  await index.open();
  const statements = new SignedStatements({ index, state: documents, messaging, clock, logger });
  await statements.open();
  closing.push(
    () => index.close(),
    () => statements.close(),
  );
  const signer = new StatementSigner({
    ...{
      index,
      statements,
      state: documents,
      messaging: signing(messaging, sign),
      settings: { manifestTtlHours: 168 },
      clock,
      logger,
    },
  });
  return { index, statements, signer, reconcile: () => signer.reconcile(1, new AbortController().signal) };
}

type Process = Awaited<ReturnType<typeof openProcess>>;

const createSigningKey = () => stores.append('signingKey-1', { type: 'AnyEvent', data: {} });
const state = ({ statements }: Process) => statements.state(1, 'production', 'ios')?.statement;
const stated = (statement: SignedStatement | undefined) =>
  JSON.parse(statement?.text ?? 'null') as Readonly<Record<string, unknown>>;
const manifest = ({ index, statements }: Process, buildId: number) => statements.manifest(index.builds.find(buildId)!);

it('signs nothing for an app without a signing key', async () => {
  await stores.publish(buildFacts(1, '1.0.0'));
  const process = await openProcess();
  await process.reconcile();
  expect(signed).toEqual([]);
  expect(process.statements.has(1)).toBe(false);
});

it('states which builds of a channel are active, also of one that is empty', async () => {
  await createSigningKey();
  await stores.publish(buildFacts(1, '1.0.0', { size: 12, minNativeVersion: '2.1.0' }));
  await stores.publish(buildFacts(2, '1.1.0'));
  const process = await openProcess();
  await process.reconcile();

  expect(state(process)?.text).toBe(
    '{"appId":1,"channel":"production","expires":"2026-03-08T12:00:00.000Z","issued":"2026-03-01T12:00:00.000Z",' +
      '"platform":"ios","sequence":4,"type":"channelState","versions":{"1.0.0":1,"1.1.0":3}}',
  );
  const { bundleId, checksum } = buildFacts(1, '1.0.0');
  expect(manifest(process, 1)?.text).toBe(
    `{"appId":1,"bundleId":"${bundleId}","channel":"production","expires":"2026-03-08T12:00:00.000Z",` +
      '"issued":"2026-03-01T12:00:00.000Z","nativeRange":">=2.1.0","platform":"all","sequence":1,' +
      `"sha256":"${checksum}","size":12,"type":"manifest","version":"1.0.0"}`,
  );
  for (const platform of ['ios', 'android', 'web', 'all'] as const) {
    const empty = process.statements.state(1, 'staging', platform)?.statement;
    expect(stated(empty)).toMatchObject({ channel: 'staging', platform, sequence: 0, versions: {} });
    expect(empty?.signatures).toEqual([
      { key_id: 7, signature: `7:${createHash('sha256').update(empty!.text).digest('hex')}` },
    ]);
  }
});

it('states for each platform the builds that its devices may get', async () => {
  await createSigningKey();
  await stores.publish(buildFacts(1, '1.0.0'));
  await stores.publish(buildFacts(2, '1.1.0', { platform: 'ios', nativeRange: '^2.0.0', fingerprint: 'f00d' }));
  await stores.publish(buildFacts(3, '1.1.0', { platform: 'android' }));
  const process = await openProcess();
  await process.reconcile();
  const versions = (platform: 'ios' | 'android' | 'web' | 'all') =>
    stated(process.statements.state(1, 'production', platform)?.statement)['versions'];
  expect(versions('ios')).toEqual({ '1.0.0': 1, '1.1.0': 3 });
  expect(versions('android')).toEqual({ '1.0.0': 1, '1.1.0': 5 });
  for (const platform of ['web', 'all'] as const) expect(versions(platform)).toEqual({ '1.0.0': 1 });
  expect(stated(manifest(process, 2))).toMatchObject({
    ...{ platform: 'ios', nativeRange: '>=2.0.0 <3.0.0-0', fingerprint: 'f00d' },
  });

  const edited = { buildId: 2, nativeRange: null, fingerprint: null };
  await stores.change(buildFacts(2, '1.1.0'), { type: 'BuildEdited', data: edited });
  await process.reconcile();
  const after = stated(manifest(process, 2));
  expect([after['fingerprint'], after['nativeRange'], after['sequence']]).toEqual([undefined, null, 7]);
});

it('signs a bundle by every trusted key where the server made its signature, and never one with a supplied signature', async () => {
  await createSigningKey();
  trusted = [7, 9];
  await stores.publish(buildFacts(1, '1.0.0', { signature: 'supplied' }));
  const mine = buildFacts(2, '1.1.0');
  await stores.append(
    'channel-1-production',
    { type: 'BuildAccepted', data: { ...mine, jobId: '01J00000000000000000000000' } },
    { type: 'BuildActivated', data: { buildId: 2, signature: 'by the server' } },
  );
  await stores.append('channel-1-staging', {
    type: 'BuildPromoted',
    data: {
      ...buildFacts(3, '1.1.0', { channel: 'staging', checksum: mine.checksum }),
      promotedFromId: 2,
      signedByServer: true,
    },
  });
  const process = await openProcess();
  await process.reconcile();
  const signatures = [7, 9].map((key_id) => ({ key_id, signature: `${key_id}:${mine.checksum}` }));
  const bundles = [1, 2, 3].map((id) => process.statements.bundleSignatures(process.index.builds.find(id)!));
  expect(bundles).toEqual([undefined, signatures, signatures]);
});

describe('a sequence', () => {
  const change = [
    ['is paused', { type: 'BuildPaused', data: { buildId: 1 } }, {}],
    ['is archived', { type: 'BuildArchived', data: { buildId: 1 } }, {}],
    ['is deleted', { type: 'BuildDeleted', data: { buildId: 1, objectKey: 'o', jobId: null } }, {}],
    [
      'asks for another native version',
      { type: 'BuildEdited', data: { buildId: 1, minNativeVersion: '3.0.0' } },
      { '1.0.0': 3 },
    ],
  ] as const;

  it.each(change)(
    'goes up when a build %s, and what was signed before is no longer served',
    async (_what, event, versions) => {
      await createSigningKey();
      await stores.publish(buildFacts(1, '1.0.0'));
      const process = await openProcess();
      await process.reconcile();
      const before = state(process)!;

      await stores.change(buildFacts(1, '1.0.0'), event);
      expect(state(process)).toBeUndefined();
      await process.reconcile();
      expect(stated(state(process))).toMatchObject({ sequence: before.sequence + 1, versions });
    },
  );

  it.each([
    { type: 'RolloutChanged', data: { buildId: 1, rolloutPercentage: 5, enabled: false } },
    { type: 'BuildEdited', data: { buildId: 1, releaseNotes: 'new', mandatory: true } },
  ] as const)('stays when nothing that is signed changes', async (event) => {
    await createSigningKey();
    await stores.publish(buildFacts(1, '1.0.0'));
    const process = await openProcess();
    await process.reconcile();
    const [before, manifestBefore] = [state(process), manifest(process, 1)];
    await stores.change(buildFacts(1, '1.0.0'), event);
    signed = [];
    await process.reconcile();
    expect([state(process), manifest(process, 1)]).toEqual([before, manifestBefore]);
    expect(signed).toEqual([]);
  });

  it('is the same after every row was lost, and whichever process signs', async () => {
    await createSigningKey();
    await stores.publish(buildFacts(1, '1.0.0'));
    await stores.publish(buildFacts(2, '2.0.0'));
    await stores.change(buildFacts(1, '1.0.0'), { type: 'BuildPaused', data: { buildId: 1 } });
    const first = await openProcess();
    await first.reconcile();
    const sequences = (process: Process) =>
      Object.fromEntries(process.statements.ofApp(1).map(({ id, sequence }) => [id, sequence]));
    const before = sequences(first);
    expect(Object.keys(before)).toHaveLength(13);

    const rows = stores.documents.rows(signedStatements);
    await rows.deleteWhere({});
    stores.clock.time -= HOUR;
    const second = await openProcess();
    await second.reconcile();
    expect(sequences(second)).toEqual(before);
    await first.statements.readAll();
    expect(sequences(first)).toEqual(before);
  });

  it('never goes down in the store, when a process that is behind signs last', async () => {
    await createSigningKey();
    await stores.publish(buildFacts(1, '1.0.0'));
    await (await openProcess()).reconcile();
    const rows = stores.documents.rows(signedStatements);
    const id = 'channelState/1/production/ios';
    const later = { sequence: 99, text: 'of an event that this process has not seen' };
    const row = await rows.get(id);
    await rows.put({ ...row!, ...later });
    await (await openProcess()).reconcile();
    expect(await rows.get(id)).toMatchObject(later);
  });
});

it('signs again at about half of the life of a statement, and serves none that has expired', async () => {
  await createSigningKey();
  await stores.publish(buildFacts(1, '1.0.0'));
  const process = await openProcess();
  await process.reconcile();
  const first = state(process)!;
  stores.clock.time += 0.39 * 168 * HOUR;
  await process.reconcile();
  expect(state(process)).toBe(first);
  stores.clock.time += 0.22 * 168 * HOUR;
  await process.reconcile();
  expect(state(process)).toMatchObject({ sequence: first.sequence, expiresAt: stores.clock.time + 168 * HOUR });

  refusal = new Error('no vault');
  stores.clock.time += 168 * HOUR;
  await expect(process.reconcile()).rejects.toThrow('no vault');
  expect([state(process), manifest(process, 1)]).toEqual([undefined, undefined]);
});

it('reports what is not signed, and what was not signed again in time', async () => {
  await createSigningKey();
  await stores.publish(buildFacts(1, '1.0.0'));
  const process = await openProcess();
  const { statements } = process;
  expect(await statements.health()).toEqual({ missing: 13, earliest_expiry: null, overdue: false });
  expect(await statements.earliestExpiry()).toBeUndefined();
  await process.reconcile();
  const expiry = stores.clock.time + 168 * HOUR;
  const healthy = { missing: 0, earliest_expiry: new Date(expiry).toISOString(), overdue: false };
  expect(await statements.health()).toEqual(healthy);
  expect(await statements.earliestExpiry()).toBe(expiry);
  stores.clock.time += 0.62 * 168 * HOUR;
  expect(await statements.health()).toEqual({ ...healthy, overdue: true });
  stores.clock.time = expiry;
  expect(await statements.health()).toMatchObject({ missing: 13 });
});

describe('while it runs', () => {
  const untilStated = async (process: Process, isStated: () => boolean) => {
    await eventually(isStated);
    return state(process);
  };

  it('signs what changes, tries again what failed, counts the failure, and one process signs at a time', async () => {
    await createSigningKey();
    await stores.publish(buildFacts(1, '1.0.0'));
    refusal = new Error('no vault');
    const failures = async () => (await statementFailures.get()).values[0]?.value ?? 0;
    const before = await failures();
    const processes = [await openProcess(), await openProcess()];
    for (const { signer } of processes) {
      signer.start();
      closing.push(() => signer.stop());
    }
    await eventually(async () => (await failures()) !== before);
    refusal = undefined;
    for (const process of processes) await untilStated(process, () => state(process) !== undefined);
    const signedFirst = signed.length;
    expect(signedFirst).toBe(13);

    await stores.change(buildFacts(1, '1.0.0'), { type: 'BuildPaused', data: { buildId: 1 } });
    for (const process of processes) await untilStated(process, () => state(process) !== undefined);
    await eventually(() => signed.length >= signedFirst + 4);
    expect(signed).toHaveLength(signedFirst + 4);
  });
});

it('signs everything again after any event of the signing keys, by all keys that are trusted then', async () => {
  await createSigningKey();
  await stores.publish(buildFacts(1, '1.0.0'));
  const process = await openProcess();
  await process.reconcile();
  trusted = [7, 9];
  const { position } = await stores.append('signingKey-1', { type: 'KeyOfALaterRelease', data: {} });
  await stores.members.applied('signingKey-1', position);
  await process.reconcile();
  expect(process.statements.ofApp(1).map(({ signatures }) => signatures.map(({ key_id }) => key_id))).toEqual(
    Array(13).fill([7, 9]),
  );
});

it('deletes what it signed of builds that are no longer active, and of a removed app', async () => {
  await createSigningKey();
  const build = buildFacts(1, '1.0.0');
  await stores.publish(build);
  const process = await openProcess();
  await process.reconcile();
  const rows = stores.documents.rows(signedStatements);
  expect(await rows.count()).toBe(13);
  await stores.change(build, { type: 'BuildArchived', data: { buildId: 1 } });
  await process.reconcile();
  expect(await rows.count()).toBe(12);

  await stores.append('app-1', { type: 'AppRemovalStarted', data: { id: 1 } });
  await stores.append('channel-1-production', {
    type: 'BuildDeleted',
    data: { buildId: 1, objectKey: 'o', jobId: null },
  });
  await stores.append('signingKey-1', { type: 'SigningKeyClosed', data: {} });
  const { position } = await stores.append('apps', { type: 'AppRemoved', data: { id: 1 } });
  await stores.members.applied('apps', position);
  await process.reconcile();
  expect(await rows.count()).toBe(0);
  expect([
    process.statements.has(1),
    process.index.signerRevision(1),
    process.index.channelRevision(1, 'production'),
  ]).toEqual([false, undefined, undefined]);
});

it('deletes what it signed when the app has no key any longer', async () => {
  await createSigningKey();
  const process = await openProcess();
  await process.reconcile();
  trusted = [];
  await stores
    .append('signingKey-1', { type: 'KeysGone', data: {} })
    .then(({ position }) => stores.members.applied('signingKey-1', position));
  await process.reconcile();
  expect(await stores.documents.rows(signedStatements).count()).toBe(0);
});
