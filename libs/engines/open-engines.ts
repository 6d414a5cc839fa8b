import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SettingsError, type Settings } from '@sluice/config';
import { LISTING_SECRETS, SEAL_PURPOSES, UPCASTERS } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { prefixStreams, upcastEvents, type EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { systemClock, type Clock, type Logger } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { openInProcessMessaging } from '@sluice/messaging/in-process';
import { openNatsMessaging } from '@sluice/messaging/nats';
import type { ObjectStore } from '@sluice/object-store';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';
import { openMinioObjectStore, originOf, storeAddress } from '@sluice/object-store/minio';
import { checkMasterKeys, createVault, masterKeyFrom, type MasterKeys, sealKeysFrom, type Vault } from '@sluice/vault';
import { readOrCreateKeyFile } from './key-file';

/** What a service may need outside of the process, besides the bus. The vault needs the state store. */
export const ENGINES = ['events', 'readStore', 'stateStore', 'objects', 'vault'] as const;
export type EngineName = (typeof ENGINES)[number];

/** Everything outside the process that its services stand on, each opened once. */
export interface Engines {
  /** Any use of an engine that is not one of these throws. */
  readonly opened: readonly EngineName[];
  readonly settings: Settings;
  readonly clock: Clock;
  readonly events: EventStore;
  readonly readStore: DocumentStore;
  readonly stateStore: DocumentStore;
  readonly objects: ObjectStore;
  readonly messaging: Messaging;
  readonly vault: Vault;
  /** In the order that lets nothing in flight be lost. */
  close(): Promise<void>;
}

const isEmbedded = (url: string): boolean => /^(sqlite|file):/.test(url);

const storesOf = (settings: Settings, needs: readonly EngineName[]): readonly string[] => {
  const {
    eventStoreUrl: events,
    stateStoreUrl: stateStore,
    readStoreUrl: readStore,
    objectStoreUrl: objects,
  } = settings;
  const urls: Readonly<Partial<Record<EngineName, string>>> = { events, stateStore, readStore, objects };
  return needs.flatMap((engine) => urls[engine] ?? []);
};

/** Whether any of what is to last lies on this machine's disk. */
export const keepsOnDisk = (settings: Settings, needs: readonly EngineName[] = ENGINES): boolean =>
  storesOf(settings, needs).some(isEmbedded);

/** What follows the scheme: the path of an embedded engine. */
const pathOf = (url: string): string => url.slice(url.indexOf(':') + 1);

export interface OpenOptions {
  /** The engines to open. Default: all. */
  readonly needs?: readonly EngineName[];
  /** Receives what no caller sees, such as that a process of an engine died. */
  readonly logger?: Logger;
}

/**
 * Chooses each engine that is needed by the scheme of its URL and opens it.
 * @throws SettingsError when settings do not fit together; the engine's own error when it can't be opened
 */
export async function openEngines(
  settings: Settings,
  name: string,
  { needs = ENGINES, logger }: OpenOptions = {},
): Promise<Engines> {
  const opened: { close(): Promise<void> | void }[] = [];
  const keep = <T extends { close(): Promise<void> | void }>(engine: T): T => {
    opened.unshift(engine);
    return engine;
  };
  const close = async (): Promise<void> => {
    for (const engine of opened.splice(0)) await engine.close();
  };
  const open = async <T extends { close(): Promise<void> | void }>(engine: EngineName, opening: () => Promise<T>) =>
    needs.includes(engine) ? keep(await opening()) : unopened(engine);
  try {
    const events = await open('events', async () =>
      upcastEvents(prefixStreams(await openEventStore(settings), settings.eventStorePrefix), UPCASTERS),
    );
    const stateStore = await open('stateStore', () =>
      openDocumentStore(settings.stateStoreUrl, 'sluice_state', logger),
    );
    const readStore = await open('readStore', () => openDocumentStore(settings.readStoreUrl, 'sluice_read', logger));
    const objects = await open('objects', () => openObjectStore(settings, logger?.child({ context: 'ObjectStore' })));
    const messaging = keep(await openMessaging(settings, name, logger?.child({ context: 'Messaging' })));
    const vault = await open('vault', async () => {
      const masterKeys = await masterKeysOf(settings, name, needs);
      await checkMasterKeys(stateStore, masterKeys);
      return createVault({ state: stateStore, masterKeys, changing: LISTING_SECRETS });
    });
    return {
      opened: needs,
      settings,
      clock: systemClock,
      events,
      readStore,
      stateStore,
      objects,
      messaging,
      vault,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** In place of an engine that no service of the process declared. */
function unopened(engine: EngineName): never {
  const get = (_: object, member: string | symbol): undefined => {
    // A promise looks at what it resolves with.
    if (member === 'then') return undefined;
    throw new Error(`The engine "${engine}" is not open: no service of this process declares that it needs it.`);
  };
  return new Proxy({}, { get }) as never;
}

/** The driver takes long to load: only who needs it waits for it. */
async function openEventStore({ eventStoreUrl: url }: Settings): Promise<EventStore> {
  if (url.startsWith('sqlite:')) return openSqliteEventStore({ path: pathOf(url) });
  const { openEventStoreDb } = await import('@sluice/event-store/eventstoredb/index.js');
  try {
    return openEventStoreDb({ url });
  } catch (error) {
    throw new SettingsError(`The setting EVENT_STORE_URL is wrong. ${(error as Error).message}`);
  }
}

/** @param database of MongoDB, where the URL names none */
async function openDocumentStore(url: string, database: string, logger: Logger | undefined): Promise<DocumentStore> {
  if (url.startsWith('sqlite:')) return openSqliteDocumentStore({ path: pathOf(url), logger });
  const { openMongoDocumentStore } = await import('@sluice/document-store/mongodb/index.js');
  return openMongoDocumentStore({ url, database, logger: logger?.child({ context: 'DocumentStore' }) });
}

async function openObjectStore(settings: Settings, logger: Logger | undefined): Promise<ObjectStore> {
  const { objectStoreUrl: url, objectStorePublicUrl, downloadMode } = settings;
  if (!url.startsWith('file:')) return openMinioObjectStore({ url, publicUrl: objectStorePublicUrl, logger });
  if (downloadMode === 'stream') return openFilesystemObjectStore({ path: pathOf(url) });
  throw new SettingsError(
    'The setting DOWNLOAD_MODE can not be redirect with an OBJECT_STORE_URL that is a folder: only Sluice can serve its files.',
  );
}

async function openMessaging(settings: Settings, name: string, logger: Logger | undefined): Promise<Messaging> {
  const { busUrl: url, busNamespace: namespace, busCaFile } = settings;
  if (url === 'inproc:') return openInProcessMessaging(logger);
  const ca = busCaFile === undefined ? undefined : await certificateIn(busCaFile);
  return openNatsMessaging({ url, name, namespace, ca, logger });
}

async function certificateIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new SettingsError(
    `The setting BUS_CA_FILE must name a readable file that holds a certificate as PEM: ${path}.`,
  );
}

async function masterKeysOf(settings: Settings, name: string, needs: readonly EngineName[]): Promise<MasterKeys> {
  const { masterKey, masterKeyPrevious, sealKeys, sealKeysPrevious } = settings;
  if (sealKeys !== undefined) {
    if (masterKey !== undefined) {
      throw new SettingsError(
        'The settings MASTER_KEY and SEAL_KEYS are both set: SEAL_KEYS is for a process without MASTER_KEY. Remove one of them.',
      );
    }
    const purposes = SEAL_PURPOSES[name];
    if (purposes === undefined) {
      throw new SettingsError(`The setting SEAL_KEYS does not suffice for ${name}, which needs MASTER_KEY.`);
    }
    const read = (text: string, setting: 'SEAL_KEYS' | 'SEAL_KEYS_PREVIOUS') =>
      sealKeysFrom(text, { setting, service: name, purposes });
    return {
      current: read(sealKeys, 'SEAL_KEYS'),
      previous: sealKeysPrevious === undefined ? undefined : read(sealKeysPrevious, 'SEAL_KEYS_PREVIOUS'),
    };
  }
  const previous =
    masterKeyPrevious === undefined ? undefined : masterKeyFrom(masterKeyPrevious, 'MASTER_KEY_PREVIOUS');
  return { current: masterKeyFrom(await masterKeyText(settings, needs)), previous };
}

async function masterKeyText(settings: Settings, needs: readonly EngineName[]): Promise<string> {
  if (settings.masterKey !== undefined) return settings.masterKey;
  const shared = storesOf(settings, needs).find((url) => !isEmbedded(url));
  if (shared !== undefined) {
    throw new SettingsError(
      `The setting MASTER_KEY is required with ${shared.split(':', 1).join()}:, which is no embedded engine: 64 hexadecimal digits.`,
    );
  }
  return readOrCreateKeyFile(join(settings.dataDir, 'master.key'), () => randomBytes(32).toString('hex'));
}

/** The origin that clients of an object store at `minio:` or `s3:` are sent to; never its keys. */
export function objectStoreOrigin(url: string): string {
  return originOf(storeAddress(url));
}
