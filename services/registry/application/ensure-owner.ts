import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Settings, SettingsError } from '@sluice/config';
import { credentialFault, credentialHash, newCredential } from '@sluice/contracts';
import type { CommandHandling } from '@sluice/event-store';
import { newCommandId } from '@sluice/kernel';
import { owner, ownerStream } from '../domain/owner';

export interface EnsureOwnerOptions {
  readonly commands: CommandHandling;
  readonly settings: Pick<Settings, 'dataDir' | 'eventStoreUrl' | 'ownerKey'>;
  readonly report: (message: string) => void;
}

const FIRST_OWNER = { id: 1, name: 'operator' } as const;
const KEY_FORM = 'svc_own_, 64 hexadecimal digits, _ and a CRC-32';

/**
 * Makes the first owner when there is none: of OWNER_KEY when it is set, else, with the embedded
 * event store alone, of DATA_DIR/owner.key, which is durable there before the owner is. Processes
 * that start at once end with one owner and one file. A key that isn't the owner's is reported.
 *
 * @throws SettingsError when there is no owner and no key to make one of
 */
export async function ensureOwner({ commands, settings, report }: EnsureOwnerOptions): Promise<void> {
  const stream = ownerStream(FIRST_OWNER.id);
  let present = (await commands.load(owner, stream)).state;
  let key = settings.ownerKey;
  if (present === undefined) {
    key = await firstOwnerKey(settings);
    const command = { ...FIRST_OWNER, type: 'CreateOwner', hash: credentialHash(key) } as const;
    const context = { commandId: newCommandId(), actor: 'system:registry' };
    present = (await commands.handle(owner, stream, command, context)).state;
  }
  if (key !== undefined && present?.hash !== credentialHash(key)) {
    report(
      `The owner key of ${settings.ownerKey === undefined ? ownerKeyPath(settings) : 'OWNER_KEY'} is not that of the owner who exists: it opens nothing.`,
    );
  }
}

async function firstOwnerKey(settings: EnsureOwnerOptions['settings']): Promise<string> {
  if (settings.ownerKey !== undefined) {
    if (credentialFault('svc_own_', settings.ownerKey) !== undefined) {
      throw new SettingsError(`The setting OWNER_KEY is no owner key, or not a whole one: it must be ${KEY_FORM}.`);
    }
    return settings.ownerKey;
  }
  if (!settings.eventStoreUrl.startsWith('sqlite:')) {
    throw new SettingsError(
      `The setting OWNER_KEY is required: the event store holds no owner yet, and only the embedded one makes a key itself. It must be ${KEY_FORM}.`,
    );
  }
  const path = ownerKeyPath(settings);
  const key = (await readKey(path)) ?? (await writeKey(settings.dataDir, path));
  if (credentialFault('svc_own_', key) !== undefined) {
    throw new SettingsError(
      `The file ${path} holds no owner key, or not a whole one. Restore it, or remove it: the next start makes a new one.`,
    );
  }
  return key;
}

function ownerKeyPath(settings: Pick<Settings, 'dataDir'>): string {
  return join(settings.dataDir, 'owner.key');
}

async function readKey(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Writes a new key under a name of its own and links it: whoever sees the file sees a whole key. */
async function writeKey(directory: string, path: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await writeDurably(draft, `${newCredential('svc_own_')}\n`);
    await link(draft, path);
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
  await syncDirectory(directory);
  return (await readFile(path, 'utf8')).trim();
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
