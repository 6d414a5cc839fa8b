import { Readable } from 'node:stream';
import { readSettings } from '@sluice/config';
import { createApiKey, type Caller } from '@sluice/contracts';
import { createProjections, type Projections } from '@sluice/projections';
import { type Engines, openEngines } from '@sluice/engines';
import { startService } from '@sluice/service-host/start-service';
import { createCommandHandling, type EventStore } from '@sluice/event-store';
import { newCommandId, newUlid, UnavailableError, type Clock } from '@sluice/kernel';
import { createLogger } from '@sluice/telemetry';
import { eventually, recordingLogger, temporaryDirectory } from '@sluice/testing';
import { apiKeyUsage } from './api-keys/api-key-usage';
import { API_KEY_SEALS, apiKeys, apiKeysStream } from './api-keys/domain/api-keys';
import { keystore, KEYSTORE_OBJECTS, KEYSTORE_SEALS, keystoreStream } from './keystores/domain/keystore';
import { signingKey, SIGNING_KEY_SEALS, signingKeyStream } from './signing-keys/domain/signing-key';
import { keys } from './keys.service';
import { projections as ownProjections } from './projections';
import { listedSigningKeyRows } from './signing-keys/signing-keys.projection';
import { KeysSweep } from './keys-sweep';

const HOUR = 3_600_000;

describe('the sweep of sealed API keys', () => {
  let dataDir: string;
  let engines: Engines;
  let projections: Projections;
  let aheadMs: number;

  const clock: Clock = { now: () => new Date(), monotonic: () => performance.now() + aheadMs };
  const open = (env: Record<string, string> = {}) => openEngines(readSettings({ DATA_DIR: dataDir, ...env }), 'test');
  const project = async (events: EventStore, waitMs = 2_000): Promise<Projections> => {
    const made = createProjections({
      ...{ events, documents: engines.readStore, projections: ownProjections, waitMs },
      logger: recordingLogger(),
    });
    await made.start();
    return made;
  };
  const replica = (more: { events?: EventStore; projections?: Projections } = {}) =>
    new KeysSweep(
      engines.vault,
      engines.objects,
      more.events ?? engines.events,
      engines.readStore,
      engines.stateStore,
      more.projections ?? projections,
      clock,
      engines.settings,
      recordingLogger(),
    );

  beforeEach(async () => {
    aheadMs = 0;
    dataDir = temporaryDirectory();
    engines = await open();
    projections = await project(engines.events);
  });

  afterEach(async () => {
    await projections.close();
    await engines.close();
  });

  async function sealed(): Promise<string> {
    const sealId = `${API_KEY_SEALS}${newUlid()}`;
    await engines.vault.seal(sealId, Buffer.from('plaintext'));
    return sealId;
  }

  let created = 0;
  async function named(sealId: string): Promise<string> {
    const id = (created += 1);
    const key = { id, appId: id, name: 'k', preview: '', hash: '', sealId };
    const caller = { commandId: newCommandId(), actor: 'token:1' };
    const commands = createCommandHandling({ store: engines.events, clock });
    await commands.handle(apiKeys, apiKeysStream(id), { type: 'CreateApiKey', key }, caller);
    return sealId;
  }

  const there = async (id: string) => (await engines.vault.open(id)) !== undefined;

  it('deletes what no event names, once it stood unnamed for the grace period', async () => {
    const sweep = replica();
    const [orphan, kept] = [await sealed(), await named(await sealed())];
    expect(await sweep.sweep()).toEqual([]);
    aheadMs += HOUR - 60_000;
    expect(await sweep.sweep()).toEqual([]);
    aheadMs += 120_000;
    expect(await sweep.sweep()).toEqual([orphan]);
    expect([await there(orphan), await there(kept)]).toEqual([false, true]);
  });

  it('counts the time from its own first look, however old the seal is', async () => {
    const orphan = await sealed();
    aheadMs += 10 * HOUR;
    expect(await replica().sweep()).toEqual([]);
    expect(await there(orphan)).toBe(true);
  });

  it('never touches data keys, the check of the master key, and what others seal', async () => {
    const { newest } = await engines.vault.dataKeys('apiKey-');
    await engines.vault.seal('refreshToken-1', Buffer.from('x'));
    const sweep = replica();
    await sweep.sweep();
    aheadMs += 2 * HOUR;
    expect(await sweep.sweep()).toEqual([]);
    expect(await there('refreshToken-1')).toBe(true);
    await projections.close();
    await engines.close();
    engines = await open();
    projections = await project(engines.events);
    expect((await engines.vault.dataKeys('apiKey-')).newest).toEqual(newest);
  });

  it('deletes sealed keystores and their keys as well, and keeps the one that is backed up', async () => {
    const put = async () => {
      const [objectKey, sealId] = [`${KEYSTORE_OBJECTS}${newUlid()}`, `${KEYSTORE_SEALS}${newUlid()}`];
      await engines.objects.put(objectKey, Readable.from([Buffer.from('sealed')]));
      await engines.vault.seal(sealId, Buffer.from('data key'));
      return { appId: 1, originalName: 'k.zip', size: 6, sha256: '', objectKey, sealId };
    };
    const [orphan, kept] = [await put(), await put()];
    const caller = { commandId: newCommandId(), actor: 'token:1' };
    const commands = createCommandHandling({ store: engines.events, clock });
    await commands.handle(keystore, keystoreStream(1), { type: 'StoreKeystore', keystore: kept }, caller);
    await engines.objects.put('bundles/other.zip', Readable.from([Buffer.from('PK')]));
    const sweep = replica();
    expect(await sweep.sweep()).toEqual([]);
    aheadMs += 2 * HOUR;
    expect(await sweep.sweep()).toEqual([orphan.sealId, orphan.objectKey]);
    expect(await there(kept.sealId)).toBe(true);
    expect(await engines.objects.stat(kept.objectKey)).toBeDefined();
    expect(await engines.objects.stat('bundles/other.zip')).toBeDefined();
  });

  it('keeps the seals of former signing keys as long as they sign, and deletes that of a retired one', async () => {
    const caller = () => ({ commandId: newCommandId(), actor: 'token:1' });
    const commands = createCommandHandling({ store: engines.events, clock });
    const stream = signingKeyStream(1);
    const [former, active] = [1, 2].map((id) => {
      const sealId = `${SIGNING_KEY_SEALS}${newUlid()}`;
      return { id, appId: 1, publicKey: 'PEM', fingerprint: `f${id}`, sealId };
    });
    for (const { sealId } of [former!, active!]) await engines.vault.seal(sealId, Buffer.from('private'));
    await commands.handle(signingKey, stream, { type: 'CreateSigningKey', key: former! }, caller());
    await commands.handle(signingKey, stream, { type: 'RotateSigningKey', key: active! }, caller());
    const sweep = replica();
    await sweep.sweep();
    aheadMs += 2 * HOUR;
    expect(await sweep.sweep()).toEqual([]);
    // As a crash between the event and the deletion leaves it.
    await commands.handle(signingKey, stream, { type: 'RetireSigningKey', appId: 1, id: 1 }, caller());
    const rows = engines.readStore.view('signingKeys', listedSigningKeyRows);
    await eventually(async () => (await rows.get('1'))?.status === 'retired');
    await sweep.sweep();
    aheadMs += 2 * HOUR;
    expect(await sweep.sweep()).toEqual([former!.sealId]);
    expect([await there(former!.sealId), await there(active!.sealId)]).toEqual([false, true]);
  });

  it('forgets how a deleted key was used, and nothing of one that is there', async () => {
    const used = engines.stateStore.rows(apiKeyUsage);
    const never = { blockedCount: 0, lastBlockedAt: null, lastBlockedReason: null, lastUsedAt: null };
    await named(await sealed());
    await used.putMany([String(created), '9999'].map((id) => ({ id, ...never })));
    const sweep = replica();
    await sweep.sweep();
    aheadMs += 2 * HOUR;
    expect(await sweep.sweep()).toEqual(['9999']);
    expect((await used.find()).map(({ id }) => id)).toEqual([String(created)]);
  });

  it('keeps a seal whose event comes between two looks', async () => {
    const sweep = replica();
    const late = await sealed();
    await sweep.sweep();
    await named(late);
    aheadMs += 2 * HOUR;
    expect(await sweep.sweep()).toEqual([]);
    expect(await there(late)).toBe(true);
  });

  it('looks at every seal of a long catalogue', async () => {
    const orphans = await Promise.all(Array.from({ length: 230 }, () => sealed()));
    for (let index = 0; index < orphans.length; index += 2) await named(orphans[index]!);
    const sweep = replica();
    await sweep.sweep();
    aheadMs += 2 * HOUR;
    expect([...(await sweep.sweep())].sort()).toEqual(orphans.filter((_, index) => index % 2 === 1).sort());
  });

  it('runs on several replicas simultaneously, during creations', async () => {
    const sweeps = [replica(), replica(), replica()];
    const orphans = [await sealed(), await sealed()];
    await Promise.all(sweeps.map((sweep) => sweep.sweep()));
    aheadMs += 2 * HOUR;
    const [late, ...deleted] = await Promise.all([sealed().then(named), ...sweeps.map((sweep) => sweep.sweep())]);
    expect(deleted.flat().sort()).toEqual(orphans.sort());
    expect(await there(late)).toBe(true);
  });

  it('judges nothing while its read model is behind the events', async () => {
    const behind = await project({ ...engines.events, subscribe: () => engines.events.subscribe({ ...never }) }, 50);
    const sweep = replica({ projections: behind });
    await named(await sealed());
    const orphan = await sealed();
    await expect(sweep.sweep()).rejects.toBeInstanceOf(UnavailableError);
    aheadMs += 2 * HOUR;
    await expect(sweep.sweep()).rejects.toBeInstanceOf(UnavailableError);
    expect(await there(orphan)).toBe(true);
    await behind.close();
  });

  it('judges nothing by the events of another installation', async () => {
    const orphan = await sealed();
    await replica().sweep();
    aheadMs += 2 * HOUR;
    const foreign = replica({ events: { ...engines.events, identity: () => Promise.resolve('another') } });
    await expect(foreign.sweep()).rejects.toThrow(/another.*api-key-seals/);
    expect(await there(orphan)).toBe(true);
  });

  it('repeats as long as the service runs', async () => {
    await projections.close();
    await engines.close();
    engines = await open({ OBJECT_GRACE_SECONDS: '0' });
    const service = await startService(keys, { ...engines, clock }, () => 'http://localhost', createLogger('silent'));
    const caller: Caller = { commandId: newCommandId(), actor: 'token:1' };
    await engines.messaging.request(createApiKey, { appId: 1, name: 'kept' }, caller);
    const [kept] = await engines.vault.ids({ prefix: API_KEY_SEALS, after: '', limit: 10 });
    const orphan = await sealed();
    while (await there(orphan)) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      aheadMs += 10_000;
    }
    expect(await there(kept!)).toBe(true);
    await service.stop();
    projections = await project(engines.events);
  }, 30_000);
});

const never = { after: 'z', prefixes: [], handle: () => Promise.resolve() };
