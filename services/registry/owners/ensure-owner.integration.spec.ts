import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { credentialFault, credentialHash, newCredential, type RegistryEvent } from '@sluice/contracts';
import { createCommandHandling, createSequence, type EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { DomainError, newCommandId, systemClock, UnavailableError } from '@sluice/kernel';
import { temporaryDirectory, recordingLogger, type RecordingLogger } from '@sluice/testing';
import { owner, OWNER_SEQUENCE, ownerStream } from './domain/owner';
import { ensureOwner } from './ensure-owner';
import { rotateWithFile } from './owner-key-file';

let dataDir: string;
let stores: EventStore[];
let logger: RecordingLogger;
let streamsRead: string[];

beforeEach(() => {
  dataDir = temporaryDirectory();
  stores = [];
  logger = recordingLogger();
  streamsRead = [];
});

afterEach(() => Promise.all(stores.map((store) => store.close())));

/** One process that starts: its own store on the one file. */
async function start({ ownerKey, eventStoreUrl }: { ownerKey?: string; eventStoreUrl?: string } = {}): Promise<void> {
  const path = join(dataDir, 'events.db');
  const store = await openSqliteEventStore({ path });
  stores.push(store);
  const readStream: EventStore['readStream'] = (stream, options) => {
    streamsRead.push(stream);
    return store.readStream(stream, options);
  };
  const readAll = () => {
    throw new Error('A start reads no log.');
  };
  await ensureOwner({
    commands: createCommandHandling({ store: { ...store, readStream, readAll }, clock: systemClock }),
    settings: { dataDir, eventStoreUrl: eventStoreUrl ?? `sqlite:${path}`, ownerKey },
    logger,
  });
}

async function ownerEvents(): Promise<RegistryEvent[]> {
  const events: RegistryEvent[] = [];
  for await (const { type, data } of stores[0]!.readAll()) events.push({ type, data } as unknown as RegistryEvent);
  return events;
}

const created = (key: string): RegistryEvent => ({
  type: 'OwnerCreated',
  data: expect.objectContaining({ id: 1, name: 'operator', hash: credentialHash(key) }) as OwnerData,
});
type OwnerData = Extract<RegistryEvent, { type: 'OwnerCreated' }>['data'];

const keyFile = () => join(dataDir, 'owner.key');
const keyInFile = async () => (await readFile(keyFile(), 'utf8')).trim();

it('the first start makes a key that only its user may read, and the owner of it', async () => {
  await start();
  const key = await keyInFile();
  expect(credentialFault('svc_own_', key)).toBeUndefined();
  expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  expect(await ownerEvents()).toEqual([created(key)]);
  expect((await readdir(dataDir)).filter((name) => !name.startsWith('events.db'))).toEqual(['owner.key']);
  expect(logger.messages).toEqual([]);
});

it('a second start changes nothing', async () => {
  await start();
  const key = await keyInFile();
  await start();
  expect(await keyInFile()).toBe(key);
  expect(await ownerEvents()).toEqual([created(key)]);
  expect(logger.messages).toEqual([]);
});

it('a start that finds the file and no owner uses the file', async () => {
  const key = newCredential('svc_own_');
  await writeFile(keyFile(), `${key}\n`);
  await start();
  expect(await ownerEvents()).toEqual([created(key)]);
  expect(await keyInFile()).toBe(key);
});

it('processes that start simultaneously end with one owner and the file of its key', async () => {
  await Promise.all([start(), start(), start(), start()]);
  expect(await ownerEvents()).toEqual([created(await keyInFile())]);
  expect(logger.messages).toEqual([]);
});

it('OWNER_KEY wins while there is no owner, and writes no file', async () => {
  const key = newCredential('svc_own_');
  await start({ ownerKey: key });
  expect(await ownerEvents()).toEqual([created(key)]);
  await expect(keyInFile()).rejects.toThrow('ENOENT');
});

it('OWNER_KEY wins over a file while there is no owner', async () => {
  const key = newCredential('svc_own_');
  await writeFile(keyFile(), newCredential('svc_own_'));
  await start({ ownerKey: key });
  expect(await ownerEvents()).toEqual([created(key)]);
});

it('processes that start simultaneously with different OWNER_KEYs end with one owner, and no former key returns', async () => {
  const keys = [1, 2, 3].map(() => newCredential('svc_own_'));
  await Promise.all(keys.map((ownerKey) => start({ ownerKey })));
  for (const ownerKey of keys) await start({ ownerKey });
  expect((await ownerEvents()).map(({ type }) => type)).toEqual(['OwnerCreated', 'OwnerKeyRotated', 'OwnerKeyRotated']);
});

describe('a key that never was any owner’s', () => {
  const rotated = (key: string): RegistryEvent => ({
    type: 'OwnerKeyRotated',
    data: expect.objectContaining({ id: 1, hash: credentialHash(key) }) as { id: number; hash: string },
  });

  it('in OWNER_KEY becomes the operator’s, once', async () => {
    await start();
    const first = await keyInFile();
    const ownerKey = newCredential('svc_own_');
    await Promise.all([start({ ownerKey }), start({ ownerKey })]);
    await start({ ownerKey });
    expect(await ownerEvents()).toEqual([created(first), rotated(ownerKey)]);
    expect(logger.messages).toEqual([expect.stringContaining('OWNER_KEY is new')]);
    expect(logger.messages[0]).not.toContain(ownerKey);
  });

  it('in the file becomes the operator’s; the one before does not come back', async () => {
    await start();
    const first = await keyInFile();
    const key = newCredential('svc_own_');
    await writeFile(keyFile(), `${key}\n`);
    await start();
    await writeFile(keyFile(), first);
    await start();
    expect(await ownerEvents()).toEqual([created(first), rotated(key)]);
    expect(logger.messages).toEqual([expect.stringContaining('is new'), expect.stringContaining('opens nothing')]);
  });

  it('is no other owner’s, present or former', async () => {
    await start();
    const commands = createCommandHandling({ store: stores[0]!, clock: systemClock });
    const keys = [newCredential('svc_own_'), newCredential('svc_own_')];
    const [present, former] = keys.map((key) => ({ hash: credentialHash(key), sealId: null }));
    const ids = createSequence({ commands, name: OWNER_SEQUENCE });
    const names = Array.from({ length: 40 }, (_, index) => `Owner ${index}`);
    const last = ownerStream(1 + names.length);
    for (const name of names) {
      const context = { commandId: newCommandId(), actor: 'owner:1' };
      const id = 1 + (await ids.of(context));
      const key = id === 1 + names.length ? former! : { hash: credentialHash(newCredential('svc_own_')), sealId: null };
      await commands.handle(owner, ownerStream(id), { type: 'CreateOwner', id, name, key }, context);
    }
    const rotation = { commandId: newCommandId(), actor: 'owner:1' };
    await commands.handle(owner, last, { type: 'RotateOwnerKey', key: present! }, rotation);
    const before = await ownerEvents();
    for (const ownerKey of keys) await start({ ownerKey });
    expect(await ownerEvents()).toEqual(before);
    expect(logger.messages).toEqual([
      expect.stringContaining('opens nothing'),
      expect.stringContaining('opens nothing'),
    ]);
  });
});

it.each([
  ['mistyped', `${newCredential('svc_own_').slice(0, -1)}x`],
  ['no key at all', 'hunter2'],
])('warns of an OWNER_KEY that is %s once there is an owner, and never shows it', async (_, ownerKey) => {
  await start();
  await start({ ownerKey });
  expect(await ownerEvents()).toHaveLength(1);
  expect(logger.messages).toEqual([expect.stringContaining('OWNER_KEY')]);
  expect(logger.messages[0]).not.toContain(ownerKey);
});

it('says nothing of an OWNER_KEY that is the owner’s', async () => {
  const ownerKey = newCredential('svc_own_');
  await start({ ownerKey });
  await start({ ownerKey });
  expect(logger.messages).toEqual([]);
});

it.each([
  ['an access token', newCredential('svc_pat_')],
  ['mistyped', `${newCredential('svc_own_').slice(0, -1)}x`],
  ['truncated', newCredential('svc_own_').slice(0, 40)],
])('rejects an OWNER_KEY that is %s, without showing it', async (_, ownerKey) => {
  const refusal = await start({ ownerKey }).catch((error: unknown) => error as Error);
  expect(refusal).toMatchObject({ name: 'SettingsError', message: expect.stringContaining('OWNER_KEY') });
  expect((refusal as Error).message).not.toContain(ownerKey);
  expect(await ownerEvents()).toEqual([]);
});

it('rejects a file that holds no whole key, and leaves it to be restored', async () => {
  await writeFile(keyFile(), 'svc_own_12');
  await expect(start()).rejects.toMatchObject({
    name: 'SettingsError',
    message: expect.stringContaining(keyFile()),
  });
  expect(await keyInFile()).toBe('svc_own_12');
  expect(await ownerEvents()).toEqual([]);
});

describe('after a rotation of the key', () => {
  const settings = () => ({ dataDir, eventStoreUrl: 'sqlite:x', ownerKey: undefined });
  const rotate = (key: string) => {
    const secret = { hash: credentialHash(key), sealId: null };
    const commands = createCommandHandling({ store: stores[0]!, clock: systemClock });
    const context = { commandId: newCommandId(), actor: 'owner:1' };
    return commands.handle(owner, ownerStream(1), { type: 'RotateOwnerKey', key: secret }, context);
  };
  const present = async () => {
    const commands = createCommandHandling({ store: stores[0]!, clock: systemClock });
    return (await commands.load(owner, ownerStream(1))).state!.hash;
  };
  const inFolder = async () => (await readdir(dataDir)).filter((name) => !name.startsWith('events.db'));

  it('the file holds the new key, for its user alone, and a start changes nothing', async () => {
    await start();
    const key = newCredential('svc_own_');
    await rotateWithFile(settings(), key, () => rotate(key), present);
    await start();
    expect(await keyInFile()).toBe(key);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
    expect(await inFolder()).toEqual(['owner.key']);
    expect(logger.messages).toEqual([]);
  });

  it('that another overtakes, the file keeps the key of the later', async () => {
    await start();
    const [earlier, later] = [newCredential('svc_own_'), newCredential('svc_own_')];
    await rotateWithFile(
      settings(),
      earlier,
      async () => {
        const result = await rotate(earlier);
        await rotateWithFile(settings(), later, () => rotate(later), present);
        return result;
      },
      present,
    );
    expect([await keyInFile(), await inFolder()]).toEqual([later, ['owner.key']]);
  });

  it('of many at one moment, the file holds the key that counts', async () => {
    await start();
    const keys = Array.from({ length: 8 }, () => newCredential('svc_own_'));
    await Promise.all(keys.map((key) => rotateWithFile(settings(), key, () => rotate(key), present)));
    expect(credentialHash(await keyInFile())).toBe(await present());
    expect(await inFolder()).toEqual(['owner.key']);
  });

  it('that was broken off, a start puts the key that counts into the file', async () => {
    await start();
    const key = newCredential('svc_own_');
    const unknown = rotateWithFile(
      settings(),
      key,
      async () => {
        await rotate(key);
        throw new UnavailableError('The outcome is not known.');
      },
      present,
    );
    await expect(unknown).rejects.toThrow(UnavailableError);
    expect(await keyInFile()).not.toBe(key);
    await start();
    expect([await keyInFile(), await inFolder(), logger.messages]).toEqual([key, ['owner.key'], []]);
  });

  it('that was interrupted after another process had started, a start puts the key into the file', async () => {
    await start();
    const key = newCredential('svc_own_');
    const unknown = rotateWithFile(
      settings(),
      key,
      async () => {
        await start();
        await rotate(key);
        throw new UnavailableError('The outcome is not known.');
      },
      present,
    );
    await expect(unknown).rejects.toThrow(UnavailableError);
    await start();
    expect([await keyInFile(), await inFolder(), logger.messages]).toEqual([key, ['owner.key'], []]);
  });

  it('that did not happen, the file keeps the key', async () => {
    await start();
    const before = await keyInFile();
    for (const error of [new UnavailableError('Away.'), new DomainError('OWNER_NOT_FOUND', 'None.')]) {
      const refused = rotateWithFile(settings(), newCredential('svc_own_'), () => Promise.reject(error), present);
      await expect(refused).rejects.toBe(error);
    }
    await start();
    const [, next = ''] = await inFolder();
    await utimes(join(dataDir, next), new Date(0), new Date(0));
    await start();
    expect([await keyInFile(), await inFolder(), logger.messages]).toEqual([before, ['owner.key'], []]);
  });

  it('a start with the former OWNER_KEY warns, and brings nothing back', async () => {
    const ownerKey = newCredential('svc_own_');
    await start({ ownerKey });
    const key = newCredential('svc_own_');
    await rotateWithFile({ ...settings(), ownerKey }, key, () => rotate(key), present);
    streamsRead = [];
    await start({ ownerKey });
    expect(await ownerEvents()).toHaveLength(2);
    expect(logger.messages).toEqual([expect.stringContaining('OWNER_KEY')]);
    await expect(keyInFile()).rejects.toThrow('ENOENT');
    // As every start does from a rotation by the API on, until OWNER_KEY is changed too.
    expect(new Set(streamsRead)).toEqual(new Set([ownerStream(1)]));
  });
});

describe('with another event store', () => {
  const eventStoreUrl = 'esdb://events:2113';

  it('requires OWNER_KEY while there is no owner, and makes no file', async () => {
    await expect(start({ eventStoreUrl })).rejects.toMatchObject({
      name: 'SettingsError',
      message: expect.stringContaining('OWNER_KEY is required'),
    });
    await expect(keyInFile()).rejects.toThrow('ENOENT');
  });

  it('makes the owner of OWNER_KEY, and needs it no longer', async () => {
    const ownerKey = newCredential('svc_own_');
    await start({ eventStoreUrl, ownerKey });
    await start({ eventStoreUrl });
    expect(await ownerEvents()).toEqual([created(ownerKey)]);
  });
});
