import type { Collection, Guard, Rows, RowVersion, StateStore } from '@sluice/document-store';
import { type DataKeys, DataKeyVersions } from './data-keys';
import { createKeyring, type Keyring, type MasterKeys, SealBrokenError, type SealedSecret } from './keyring';
import { countUnderOtherKeys, reseal, type ResealOptions, type Resealed } from './reseal';
import { SECRETS, SENTINEL_ID } from './seal-keys';

/**
 * Secrets at rest: AES-256-GCM under keys that derive from the master key, one for each purpose, kept as rows of the
 * state store.
 *
 * A secret is sealed under an id that never changes meaning, before the event that names the id is
 * appended. The id of the keys is stored next to each ciphertext, and the secret's collection and id
 * are authenticated with it: a ciphertext that is moved to another of either does not open.
 */
export interface Vault {
  /** Seals once: an id that holds a secret already keeps it, and the answer is false. Durable before the answer. */
  seal(id: string, secret: Buffer): Promise<boolean>;
  /** Undefined when there is no such secret. @throws SealBrokenError when no key given opens it */
  open(id: string): Promise<Buffer | undefined>;
  delete(id: string): Promise<boolean>;
  /**
   * The versions of a data key, the same on every process. Version 1 is made at first use. A name holds no colon.
   * @throws SealBrokenError when no key given opens one of them
   */
  dataKeys(name: string): Promise<DataKeys>;
  /**
   * Makes the next version of each data key named; the former ones stay until they are dropped. Rotations at the
   * same time make one version.
   * @throws DomainError TOO_MANY_DATA_KEY_VERSIONS, and then none is rotated
   */
  rotateDataKeys(names: readonly string[]): Promise<void>;
  /** Deletes the versions that were replaced before this time, in milliseconds since the epoch; answers their numbers. */
  dropDataKeys(name: string, replacedBefore: number): Promise<number[]>;
  /** Ids that begin with `prefix` and come behind `after`, ascending, at most `limit`. */
  ids(page: { readonly prefix: string; readonly after: string; readonly limit: number }): Promise<string[]>;
  /** How many secrets are sealed under another master key than the current one, or in the former format. */
  countUnderOtherKeys(): Promise<number>;
  /**
   * Seals one part of what is sealed under another key or in the former format again, under the current one; from `next` on
   * goes the next part. A row that changed or went meanwhile keeps what the other writer left: it may
   * run next to live writers, and several times in parallel. What a part has done is durable, so one that
   * breaks off is simply asked for again.
   */
  reseal(options?: ResealOptions): Promise<Resealed>;
  /**
   * Secrets that change, in a collection of their own; counted and sealed again like all others.
   * @throws Error for a collection that the vault was not opened with: it would never be sealed again
   */
  changing(collection: string): ChangingSecrets;
  /** Stops reading data keys again. */
  close(): void;
}

/** Secrets that are replaced under their ids, each writer guarded against the others. */
export interface ChangingSecrets {
  /** Undefined when there is no such secret. @throws SealBrokenError when no key given opens it */
  open(id: string): Promise<{ readonly secret: Buffer; readonly version: RowVersion } | undefined>;
  /** As Rows.put: undefined, and nothing is written, when the guard did not hold. A reseal changes the version too. */
  put(id: string, secret: Buffer, guard: Guard): Promise<RowVersion | undefined>;
  /** As Rows.update, of an opened secret. @throws SealBrokenError when no key given opens the one that there is */
  update(id: string, change: (secret: Buffer | undefined) => Buffer | Promise<Buffer>): Promise<void>;
  /** Whether it was there; with a version also: as it was then. */
  delete(id: string, version?: RowVersion): Promise<boolean>;
  /** All of them, ascending. */
  ids(): Promise<string[]>;
}

/** Injection token of the Vault. */
export const VAULT = Symbol('Vault');

export const sealed = (name: string): Collection<SealedSecret> => ({ name, indexes: [{ fields: ['keyId'] }] });
const SENTINEL = Buffer.from('sluice');

export interface VaultOptions {
  readonly state: StateStore;
  readonly masterKeys: MasterKeys;
  /** Collections of secrets that change, as their owners declare them. Default: none. */
  readonly changing?: readonly string[];
  /** Milliseconds since the epoch: when a data key is rotated. Default: Date.now. */
  readonly now?: () => number;
}

/** A vault over the state store. */
export function createVault({ state, masterKeys, changing = [], now = Date.now }: VaultOptions): Vault {
  const rows = state.rows(sealed(SECRETS));
  const collections = new Map([SECRETS, ...changing].map((name) => [name, state.rows(sealed(name))]));
  const keyring = createKeyring(masterKeys);
  const dataKeys = new DataKeyVersions({ collection: SECRETS, rows, keyring, now });

  const open = async (id: string): Promise<Buffer | undefined> => {
    const row = await rows.get(id);
    return row && keyring.unseal(SECRETS, row);
  };

  const seal = async (id: string, secret: Buffer): Promise<boolean> =>
    (await rows.put(keyring.seal(SECRETS, id, secret), 'absent')) !== undefined;

  return {
    seal,
    open,
    delete: (id) => rows.delete(id),
    dataKeys: (name) => dataKeys.of(name),
    rotateDataKeys: (names) => dataKeys.rotate(names),
    dropDataKeys: (name, replacedBefore) => dataKeys.drop(name, replacedBefore),
    async ids({ prefix, after, limit }) {
      const behindPrefix = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
      const from = after > prefix ? { gt: after } : { gte: prefix };
      const found = await rows.find({ where: { id: { ...from, lt: behindPrefix } }, limit });
      return found.map(({ id }) => id);
    },
    countUnderOtherKeys: () => countUnderOtherKeys({ collections, keyring }),
    reseal: (options) => reseal({ collections, keyring, sentinelId: SENTINEL_ID }, options),
    changing(collection) {
      if (!changing.includes(collection)) throw new Error(`The vault has no collection "${collection}".`);
      return changingSecrets(collection, state.rows(sealed(collection)), keyring);
    },
    close: () => dataKeys.close(),
  };
}

function changingSecrets(collection: string, rows: Rows<SealedSecret>, keyring: Keyring): ChangingSecrets {
  return {
    async open(id) {
      const found = await rows.getVersioned(id);
      return found && { secret: keyring.unseal(collection, found.row), version: found.version };
    },
    put: async (id, secret, guard) => rows.put(keyring.seal(collection, id, secret), guard),
    update: async (id, change) => {
      await rows.update(id, async (row) =>
        keyring.seal(collection, id, await change(row && keyring.unseal(collection, row))),
      );
    },
    delete: (id, version) => rows.delete(id, version),
    ids: async () => (await rows.find()).map(({ id }) => id),
  };
}

/**
 * Rejects keys that are not this installation's, before anything is sealed under them.
 * @throws Error that names the settings
 */
export async function checkMasterKeys(state: StateStore, masterKeys: MasterKeys): Promise<void> {
  const vault = createVault({ state, masterKeys });
  await vault.seal(SENTINEL_ID, SENTINEL);
  const opened = await vault.open(SENTINEL_ID).catch((error: unknown) => {
    if (error instanceof SealBrokenError) return undefined;
    throw error;
  });
  if (opened?.equals(SENTINEL)) return;
  const { current, previous } = masterKeys;
  if (!Buffer.isBuffer(current)) {
    throw new Error(
      `${previous === undefined ? 'The setting SEAL_KEYS does not derive' : 'Neither the setting SEAL_KEYS nor SEAL_KEYS_PREVIOUS derives'} from the master key that this installation is sealed under. Derive it again with "sluice secrets derive". After an upgrade from a release without SEAL_KEYS, run "sluice secrets reseal" first. After a change of MASTER_KEY, set SEAL_KEYS_PREVIOUS to the former value until "sluice secrets reseal" has nothing left to do.`,
    );
  }
  throw new Error(
    previous === undefined
      ? 'The setting MASTER_KEY (without it: the file DATA_DIR/master.key) is not the key that this installation was sealed under. After a change of the key, set MASTER_KEY_PREVIOUS to the former one until "sluice secrets reseal" has nothing left to do.'
      : 'Neither the setting MASTER_KEY (without it: the file DATA_DIR/master.key) nor MASTER_KEY_PREVIOUS is the key that this installation was sealed under.',
  );
}
