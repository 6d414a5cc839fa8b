import { type Settings, SettingsError } from '@sluice/config';
import { credentialFault, credentialHash, newCredential, OPERATOR_ID } from '@sluice/contracts';
import { readOrCreateKeyFile } from '@sluice/engines';
import type { CommandHandling } from '@sluice/event-store';
import { newCommandId } from '@sluice/kernel';
import { existingOwner, owner, ownerStream } from '../domain/owner';
import { adoptNextKey, ownerKeyPath } from './owner-key-file';

export interface EnsureOwnerOptions {
  readonly commands: CommandHandling;
  readonly settings: Pick<Settings, 'dataDir' | 'eventStoreUrl' | 'ownerKey'>;
  readonly report: (message: string) => void;
}

const FIRST_OWNER = { id: OPERATOR_ID, name: 'operator' } as const;
const KEY_FORM = 'svc_own_, 64 hexadecimal digits, _ and a CRC-32';

/**
 * Makes the first owner when there is none: of OWNER_KEY when it is set, else, with the embedded
 * event store alone, of DATA_DIR/owner.key, which is durable there before the owner is. Processes
 * that start at once end with one owner and one file. A key that isn't the owner's, such as one from
 * before a rotation, is reported and changes nothing. A rotation that was broken off after its event
 * still reaches the file.
 *
 * @throws SettingsError when there is no owner and no key to make one of
 */
export async function ensureOwner({ commands, settings, report }: EnsureOwnerOptions): Promise<void> {
  const stream = ownerStream(FIRST_OWNER.id);
  let present = (await commands.load(owner, stream)).state;
  let key = settings.ownerKey;
  if (present === undefined) {
    key = await firstOwnerKey(settings);
    const command = { ...FIRST_OWNER, type: 'CreateOwner', key: { hash: credentialHash(key), sealId: null } } as const;
    const context = { commandId: newCommandId(), actor: 'system:registry' };
    present = (await commands.handle(owner, stream, command, context)).state;
  }
  if (settings.ownerKey === undefined) await adoptNextKey(settings, existingOwner(present).hash);
  if (key !== undefined && present?.hash !== credentialHash(key)) {
    report(
      `The owner key of ${settings.ownerKey === undefined ? ownerKeyPath(settings) : 'OWNER_KEY'} is not that of the owner who exists: it opens nothing. A key that was rotated stays without effect: give the present one, or none.`,
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
  const key = await readOrCreateKeyFile(path, () => newCredential('svc_own_'));
  if (credentialFault('svc_own_', key) !== undefined) {
    throw new SettingsError(
      `The file ${path} holds no owner key, or not a whole one. Restore it, or remove it: the next start makes a new one.`,
    );
  }
  return key;
}
