import { SettingsError } from '@sluice/config';
import { credentialFault, credentialHash, newCredential, OPERATOR_ID } from '@sluice/contracts';
import { readKeyFile, readOrCreateKeyFile } from '@sluice/engines';
import { sequence, sequenceStream, type CommandHandling } from '@sluice/event-store';
import { newCommandId, type Logger } from '@sluice/kernel';
import type { RegistrySettings } from '../config/registry.settings';
import { existingOwner, owner, OWNER_SEQUENCE, ownerStream } from './domain/owner';
import { adoptNextKey, ownerKeyPath } from './owner-key-file';

export interface EnsureOwnerOptions {
  readonly commands: CommandHandling;
  readonly settings: Pick<RegistrySettings, 'dataDir' | 'eventStoreUrl' | 'ownerKey'>;
  readonly logger: Logger;
}

const FIRST_OWNER = { id: OPERATOR_ID, name: 'operator' } as const;
const KEY_FORM = 'svc_own_, 64 hexadecimal digits, _ and a CRC-32';

/**
 * Creates the first owner when there is none, with the key of OWNER_KEY if it is set. Otherwise, with the embedded
 * event store only, with the key of DATA_DIR/owner.key, which is durable there before the owner is. Processes
 * that start simultaneously end with one owner and one file. A rotation that was interrupted after its event
 * still reaches the file.
 *
 * Only the operator can write the environment of the registry. So a key there, or in that file, that
 * was never the key of any owner becomes the first owner's key, and its present key becomes invalid. A former
 * key, such as one from before a rotation, or another owner's key is logged and changes nothing.
 *
 * @throws SettingsError when there is no owner and no key to make one of
 */
export async function ensureOwner({ commands, settings, logger }: EnsureOwnerOptions): Promise<void> {
  const stream = ownerStream(FIRST_OWNER.id);
  const context = { commandId: newCommandId(), actor: 'system:registry' };
  let present = (await commands.load(owner, stream)).state;
  if (present === undefined) {
    const hash = credentialHash(await firstOwnerKey(settings));
    const command = { ...FIRST_OWNER, type: 'CreateOwner', key: { hash, sealId: null } } as const;
    present = (await commands.handle(owner, stream, command, context)).state;
  }
  if (settings.ownerKey === undefined) {
    await adoptNextKey(settings, async () => {
      present = (await commands.load(owner, stream)).state;
      return existingOwner(present).hash;
    });
  }

  const key = await givenKey(settings);
  if (key === undefined || present?.hash === credentialHash(key)) return;
  const from = settings.ownerKey === undefined ? ownerKeyPath(settings) : 'OWNER_KEY';
  const hash = credentialHash(key);
  const isFormer = present?.formerHashes.includes(hash) === true;
  if (!isFormer && credentialFault('svc_own_', key) === undefined && !(await isAnothers(commands, hash))) {
    const command = { type: 'RecoverOwnerKey', hash } as const;
    const recovered = await commands.handle(owner, stream, command, { ...context, commandId: newCommandId() });
    if (recovered.events.length > 0) logger.warn(`The key of ${from} is new: it is the operator's from now on.`);
    present = recovered.state;
  }
  if (present?.hash !== hash) {
    logger.warn(
      `The owner key of ${from} is not that of the owner who exists: it opens nothing. A key that was rotated stays without effect: give the present one, a new one, or none.`,
    );
  }
}

async function givenKey(settings: EnsureOwnerOptions['settings']): Promise<string | undefined> {
  if (settings.ownerKey !== undefined || !settings.eventStoreUrl.startsWith('sqlite:')) return settings.ownerKey;
  return readKeyFile(ownerKeyPath(settings));
}

/** So many streams of owners are read at a time. */
const OWNERS_AT_ONCE = 32;

/** Whether it is or was the key of an owner other than the first, by the owners' own streams. */
async function isAnothers(commands: CommandHandling, hash: string): Promise<boolean> {
  const { next } = (await commands.load(sequence, sequenceStream(OWNER_SEQUENCE))).state;
  const last = FIRST_OWNER.id + next - 1;
  for (let first = FIRST_OWNER.id + 1; first <= last; first += OWNERS_AT_ONCE) {
    const ids = Array.from({ length: Math.min(OWNERS_AT_ONCE, last - first + 1) }, (_, index) => first + index);
    const owners = await Promise.all(ids.map((id) => commands.load(owner, ownerStream(id))));
    if (owners.some(({ state }) => state?.hash === hash || state?.formerHashes.includes(hash))) return true;
  }
  return false;
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
  const key = await readOrCreateKeyFile(path, () => newCredential('svc_own_'));
  if (credentialFault('svc_own_', key) !== undefined) {
    throw new SettingsError(
      `The file ${path} holds no owner key, or not a whole one. Restore it, or remove it: the next start makes a new one.`,
    );
  }
  return key;
}
