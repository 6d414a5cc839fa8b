import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SettingsError, type Settings } from '@sluice/config';
import { LISTING_SECRETS } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { prefixStreams, type EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { systemClock, type Clock } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { openInProcessMessaging } from '@sluice/messaging/in-process';
import { openNatsMessaging } from '@sluice/messaging/nats';
import type { ObjectStore } from '@sluice/object-store';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';
import { openMinioObjectStore } from '@sluice/object-store/minio';
import { checkMasterKeys, createVault, masterKeyFrom, type MasterKeys, type Vault } from '@sluice/vault';
import { readOrCreateKeyFile } from './key-file';

/** Everything outside the process that its services stand on, each opened once. */
export interface Engines {
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

const storesOf = (settings: Settings): readonly string[] => {
  const { eventStoreUrl, stateStoreUrl, readStoreUrl, objectStoreUrl } = settings;
  return [eventStoreUrl, stateStoreUrl, readStoreUrl, objectStoreUrl];
};

/** Whether any of what is to last lies on this machine's disk. */
export const keepsOnDisk = (settings: Settings): boolean => storesOf(settings).some(isEmbedded);

/** What follows the scheme: the path of an embedded engine. */
const pathOf = (url: string): string => url.slice(url.indexOf(':') + 1);

/**
 * Chooses each engine by the scheme of its URL and opens it.
 * @param report told what no caller sees, such as that a process of an engine died
 * @throws SettingsError when settings do not fit together; the engine's own error when it can't be opened
 */
export async function openEngines(
  settings: Settings,
  name: string,
  report: (message: string) => void = () => undefined,
): Promise<Engines> {
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(engine: T): T => {
    opened.unshift(engine);
    return engine;
  };
  const close = async (): Promise<void> => {
    for (const engine of opened.splice(0)) await engine.close();
  };
  try {
    const events = keep(await openEventStore(settings));
    const stateStore = keep(await openDocumentStore(settings.stateStoreUrl, 'sluice_state', report));
    const readStore = keep(await openDocumentStore(settings.readStoreUrl, 'sluice_read', report));
    const objects = keep(await openObjectStore(settings));
    const messaging = keep(await openMessaging(settings, name));
    const masterKeys = await masterKeysOf(settings);
    await checkMasterKeys(stateStore, masterKeys);
    const vault = createVault({ state: stateStore, masterKeys, changing: LISTING_SECRETS });
    keep({
      close() {
        vault.close();
        return Promise.resolve();
      },
    });
    const clock = systemClock;
    return {
      settings,
      clock,
      events: prefixStreams(events, settings.eventStorePrefix),
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
async function openDocumentStore(
  url: string,
  database: string,
  report: (message: string) => void,
): Promise<DocumentStore> {
  if (url.startsWith('sqlite:')) return openSqliteDocumentStore({ path: pathOf(url), report });
  const { openMongoDocumentStore } = await import('@sluice/document-store/mongodb/index.js');
  return openMongoDocumentStore({ url, database });
}

function openObjectStore({ objectStoreUrl: url, objectStorePublicUrl }: Settings): Promise<ObjectStore> {
  if (url.startsWith('file:')) return openFilesystemObjectStore({ path: pathOf(url) });
  return openMinioObjectStore({ url, publicUrl: objectStorePublicUrl });
}

async function openMessaging(settings: Settings, name: string): Promise<Messaging> {
  const { busUrl: url, busNamespace: namespace, busCaFile } = settings;
  if (url === 'inproc:') return openInProcessMessaging();
  const ca = busCaFile === undefined ? undefined : await certificateIn(busCaFile);
  return openNatsMessaging({ url, name, namespace, ca });
}

async function certificateIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new SettingsError(
    `The setting BUS_CA_FILE must name a readable file that holds a certificate as PEM: ${path}.`,
  );
}

async function masterKeysOf(settings: Settings): Promise<MasterKeys> {
  const { masterKeyPrevious } = settings;
  const previous =
    masterKeyPrevious === undefined ? undefined : masterKeyFrom(masterKeyPrevious, 'MASTER_KEY_PREVIOUS');
  return { current: masterKeyFrom(await masterKeyText(settings)), previous };
}

async function masterKeyText(settings: Settings): Promise<string> {
  if (settings.masterKey !== undefined) return settings.masterKey;
  const shared = storesOf(settings).find((url) => !isEmbedded(url));
  if (shared !== undefined) {
    throw new SettingsError(
      `The setting MASTER_KEY is required with ${shared.split(':', 1).join()}:, which is no embedded engine: 64 hexadecimal digits.`,
    );
  }
  return readOrCreateKeyFile(join(settings.dataDir, 'master.key'), () => randomBytes(32).toString('hex'));
}
