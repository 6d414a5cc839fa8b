import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { type DocumentStore, DocumentStoreUnavailableError } from '@sluice/document-store';
import { masterKeyFrom, SealBrokenError, type SealedSecret } from '../keyring';
import type { DataKey, DataKeys } from '../data-keys';
import type { Resealed } from '../reseal';
import { deriveSealKeys, sealKeysFrom, type SealKeys } from '../seal-keys';
import { checkMasterKeys, createVault, type Vault } from '../vault';

/** In one part, however slow the engine. */
const WHOLE = { budgetMs: 120_000 };

const CHANGING = ['oauthTokens', 'webhooks'];

/** As releases before sealed: bound to the id and the master key's id, not to the collection. */
function formerSeal(masterKey: Buffer, id: string, secret: string): SealedSecret {
  const keyId = createHash('sha256').update('sluice master key').update(masterKey).digest('hex').slice(0, 16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', masterKey, nonce).setAAD(Buffer.from(JSON.stringify([id, keyId])));
  const sealed = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  return { id, keyId, nonce: nonce.toString('base64'), sealed: sealed.toString('base64') };
}

/** Format 2, as the release before format 3 wrote it: sealed under the master key itself. */
const FORMAT_2 = {
  masterKey: masterKeyFrom('2438fcf9de9319f461245f0031b50345a048d0e7993f8bb390583e3bd9979962'),
  rows: {
    secrets: [
      {
        id: 'apiKey-01JZ0000000000000000000000',
        keyId: '2:9a4d7a99a079c4b9',
        nonce: '5ZPLy/i1A0IhH2H/',
        sealed: '/bWeyi8CHhuArxWuFL80nYjonGoPrl4Fg4Y=',
      },
      {
        id: 'data-key:urls',
        keyId: '2:9a4d7a99a079c4b9',
        nonce: 'mKzKf6K8/tf9Pk1P',
        sealed: 'KJF3AOIAALlsoMPvPmGI8z8MQ/SvkukfVGzxZbupp7SlBqwGDifhCiMt+WU0FLFG',
      },
      {
        id: 'master-key-check',
        keyId: '2:9a4d7a99a079c4b9',
        nonce: 'Madb5Q5HJyQah1BG',
        sealed: 'wrGfxHIqLWvgxNC6uBWVajaGzwHLtg==',
      },
    ],
    webhooks: [
      {
        id: '1',
        keyId: '2:9a4d7a99a079c4b9',
        nonce: '3uAmOUOpHPuT1Amw',
        sealed: 'CSs08X0ce29JNHRS9coGWqbYsZN2X0rVxg==',
      },
    ],
  },
};

/** As a service that is given SEAL_KEYS reads them. */
function sealKeysOf(masterKey: Buffer, ...purposes: readonly string[]): SealKeys {
  return sealKeysFrom(deriveSealKeys(masterKey, purposes), { setting: 'SEAL_KEYS', service: 'registry', purposes });
}

/** What a vault promises on every state store. @param open gives an empty store */
export function vaultContract(open: () => Promise<DocumentStore>): void {
  describe('the vault', () => {
    let state: DocumentStore;
    const masterKey = randomBytes(32);
    const vaultUnder = (current: Buffer | SealKeys, previous?: Buffer | SealKeys) =>
      createVault({ state, masterKeys: { current, previous }, changing: CHANGING });
    const sealedRows = () => state.rows<SealedSecret>({ name: 'secrets', indexes: [] });

    beforeEach(async () => {
      state = await open();
    });
    afterEach(() => state.close());

    it('opens what it sealed', async () => {
      const vault = vaultUnder(masterKey);
      expect(await vault.seal('a', Buffer.from('secret'))).toBe(true);
      expect((await vault.open('a'))?.toString()).toBe('secret');
      expect(await vault.open('b')).toBeUndefined();
    });

    it('never replaces a secret', async () => {
      const vault = vaultUnder(masterKey);
      await vault.seal('a', Buffer.from('first'));
      expect(await vault.seal('a', Buffer.from('second'))).toBe(false);
      expect((await vault.open('a'))?.toString()).toBe('first');
    });

    it('forgets a deleted secret', async () => {
      const vault = vaultUnder(masterKey);
      await vault.seal('a', Buffer.from('x'));
      expect(await vault.delete('a')).toBe(true);
      expect(await vault.delete('a')).toBe(false);
      expect(await vault.open('a')).toBeUndefined();
    });

    it('opens nothing under another master key', async () => {
      await vaultUnder(masterKey).seal('a', Buffer.from('x'));
      await expect(vaultUnder(randomBytes(32)).open('a')).rejects.toThrow(SealBrokenError);
    });

    it('opens nothing that was changed, or moved to another id', async () => {
      const vault = vaultUnder(masterKey);
      await vault.seal('a', Buffer.from('x'));
      await vault.seal('b', Buffer.from('y'));
      const rows = sealedRows();
      const [a, b] = [await rows.get('a'), await rows.get('b')];
      await rows.put({ ...b!, id: 'a' });
      await expect(vault.open('a')).rejects.toThrow(SealBrokenError);
      await rows.put({ ...a!, id: 'a', sealed: Buffer.from('tampered with it').toString('base64') });
      await expect(vault.open('a')).rejects.toThrow(SealBrokenError);
    });

    it('opens nothing that was moved to the same id of another collection', async () => {
      const vault = vaultUnder(masterKey);
      await vault.changing('webhooks').put('1', Buffer.from('of a webhook'), 'absent');
      await vault.changing('oauthTokens').put('1', Buffer.from('a token'), 'absent');
      const rowsOf = (name: string) => state.rows<SealedSecret>({ name, indexes: [] });
      await rowsOf('oauthTokens').put((await rowsOf('webhooks').get('1'))!);
      await rowsOf('secrets').put((await rowsOf('webhooks').get('1'))!);
      await expect(vault.changing('oauthTokens').open('1')).rejects.toThrow(SealBrokenError);
      await expect(vault.open('1')).rejects.toThrow(SealBrokenError);
      expect((await vault.changing('webhooks').open('1'))?.secret.toString()).toBe('of a webhook');
    });

    it('opens seals of the former format, counts them, and seals them again in the present one', async () => {
      const vault = vaultUnder(masterKey);
      await checkMasterKeys(state, { current: masterKey });
      await sealedRows().put(formerSeal(masterKey, 'a', 'made before'));
      await vault.changing('webhooks').ids();
      await state.rows<SealedSecret>({ name: 'webhooks', indexes: [] }).put(formerSeal(masterKey, 'b', 'a hook'));
      expect((await vault.open('a'))?.toString()).toBe('made before');
      expect((await vault.changing('webhooks').open('b'))?.secret.toString()).toBe('a hook');
      expect(await vault.countUnderOtherKeys()).toBe(2);

      expect(await vault.reseal(WHOLE)).toMatchObject({ resealed: 2, failed: [], remaining: 0 });
      expect((await vault.open('a'))?.toString()).toBe('made before');
      expect((await sealedRows().get('a'))!.keyId).toMatch(/^3:[0-9a-f]{16}$/);
      // What is bound to its collection does not open as if it were not.
      const row = (await sealedRows().get('a'))!;
      await sealedRows().put({ ...row, keyId: row.keyId.slice(2) });
      await expect(vault.open('a')).rejects.toThrow(SealBrokenError);
    });

    it('opens what the release before format 3 sealed, and seals it again under the key of its purpose', async () => {
      for (const [name, rows] of Object.entries(FORMAT_2.rows)) {
        for (const row of rows) await state.rows<SealedSecret>({ name, indexes: [] }).put(row);
      }
      const vault = vaultUnder(FORMAT_2.masterKey);
      const purposes = sealKeysOf(FORMAT_2.masterKey, 'apiKey', 'data-key:urls', 'webhooks');
      const opensAll = async (opening: Vault) => {
        expect((await opening.open('apiKey-01JZ0000000000000000000000'))?.toString()).toBe('an API key');
        expect((await opening.changing('webhooks').open('1'))?.secret.toString()).toBe('a webhook');
        expect((await opening.dataKeys('urls')).newest).toEqual({ version: 1, key: Buffer.alloc(32, 7), madeAt: 0 });
      };
      await checkMasterKeys(state, { current: FORMAT_2.masterKey });
      await opensAll(vault);
      expect(await vault.countUnderOtherKeys()).toBe(4);
      await expect(checkMasterKeys(state, { current: purposes })).rejects.toThrow(
        /^The setting SEAL_KEYS .*run "sluice secrets reseal" first/,
      );
      await expect(vaultUnder(purposes).open('apiKey-01JZ0000000000000000000000')).rejects.toThrow(
        /"apiKey-01JZ0000000000000000000000" does not open under the key for apiKey in SEAL_KEYS. Run "sluice secrets reseal"/,
      );

      expect(await vault.reseal(WHOLE)).toMatchObject({ resealed: 4, failed: [], remaining: 0 });
      await opensAll(vaultUnder(FORMAT_2.masterKey));
      await checkMasterKeys(state, { current: purposes });
      await opensAll(vaultUnder(purposes));
      expect(await vaultUnder(purposes).countUnderOtherKeys()).toBe(0);
    });

    describe('with the keys of some purposes in place of the master key', () => {
      const id = (kind: string) => `${kind}-01JZ0000000000000000000000`;
      const shown = sealKeysOf(masterKey, 'shown', 'data-key:urls', 'webhooks');

      it('seals and opens the secrets of those purposes alone', async () => {
        const [own, all] = [vaultUnder(shown), vaultUnder(masterKey)];
        await checkMasterKeys(state, { current: shown });
        await own.seal(id('shown'), Buffer.from('of registry'));
        await own.changing('webhooks').put('1', Buffer.from('a hook'), 'absent');
        expect((await all.open(id('shown')))?.toString()).toBe('of registry');
        expect((await all.changing('webhooks').open('1'))?.secret.toString()).toBe('a hook');
        expect((await all.dataKeys('urls')).held).toEqual((await own.dataKeys('urls')).held);
        await own.rotateDataKeys(['urls']);
        expect((await own.dataKeys('urls')).held).toHaveLength(2);
        await checkMasterKeys(state, { current: masterKey });
        expect(await all.countUnderOtherKeys()).toBe(0);

        await all.seal(id('signingKey'), Buffer.from('of keys'));
        const missing = 'There is no key for signingKey in SEAL_KEYS';
        await expect(own.open(id('signingKey'))).rejects.toThrow(missing);
        await expect(own.seal(id('signingKey'), Buffer.from('x'))).rejects.toThrow(missing);
        await expect(own.dataKeys('sessions')).rejects.toThrow('no key for data-key:sessions');
        await expect(own.changing('oauthTokens').put('1', Buffer.from('x'), 'absent')).rejects.toThrow('oauthTokens');
        expect(await own.ids({ prefix: 'signingKey-', after: '', limit: 9 })).toEqual([id('signingKey')]);
        expect(await own.delete(id('signingKey'))).toBe(true);
      });

      it('rejects keys that derive from another master key', async () => {
        await checkMasterKeys(state, { current: masterKey });
        const current = sealKeysOf(randomBytes(32), 'shown');
        await expect(checkMasterKeys(state, { current })).rejects.toThrow(
          /^The setting SEAL_KEYS does not derive from .*"sluice secrets derive"/,
        );
        const previous = sealKeysOf(randomBytes(32), 'shown');
        await expect(checkMasterKeys(state, { current, previous })).rejects.toThrow(
          /^Neither the setting SEAL_KEYS nor SEAL_KEYS_PREVIOUS derives/,
        );
        await checkMasterKeys(state, { current, previous: shown });
      });

      it('keeps opening through a change of the master key', async () => {
        await checkMasterKeys(state, { current: masterKey });
        await vaultUnder(shown).seal(id('shown'), Buffer.from('before'));
        const newKey = randomBytes(32);
        const next = sealKeysOf(newKey, 'shown');
        // Without a pause: first each process gets the new keys as the previous ones, then the two change places.
        await checkMasterKeys(state, { current: shown, previous: next });
        await checkMasterKeys(state, { current: next, previous: shown });
        const both = vaultUnder(next, shown);
        expect((await both.open(id('shown')))?.toString()).toBe('before');
        await both.seal('shown-01JZ0000000000000000000001', Buffer.from('meanwhile'));
        expect((await vaultUnder(shown, next).open('shown-01JZ0000000000000000000001'))?.toString()).toBe('meanwhile');
        await expect(checkMasterKeys(state, { current: next })).rejects.toThrow(/SEAL_KEYS_PREVIOUS/);

        const resealed = await vaultUnder(newKey, masterKey).reseal(WHOLE);
        expect(resealed).toEqual({ resealed: 2, failed: [], remaining: 0, next: null });
        await checkMasterKeys(state, { current: next });
        expect((await vaultUnder(next).open(id('shown')))?.toString()).toBe('before');
        await expect(vaultUnder(shown).open(id('shown'))).rejects.toThrow(SealBrokenError);
        await expect(checkMasterKeys(state, { current: shown })).rejects.toThrow(/SEAL_KEYS/);
      });
    });

    it('opens nothing whose tag was cut short', async () => {
      const vault = vaultUnder(masterKey);
      await vault.seal('a', Buffer.alloc(0));
      const rows = sealedRows();
      const row = (await rows.get('a'))!;
      const tag = Buffer.from(row.sealed, 'base64');
      await rows.put({ ...row, sealed: tag.subarray(0, 4).toString('base64') });
      await expect(vault.open('a')).rejects.toThrow(SealBrokenError);
    });

    describe('data keys', () => {
      const HOUR = 3_600_000;
      let now: number;
      const process = () => createVault({ state, masterKeys: { current: masterKey }, now: () => now });
      const versions = ({ held }: DataKeys) => held.map(({ version }) => version);

      beforeEach(() => {
        now = Date.parse('2026-01-01T00:00:00Z');
      });

      it('are the same on every process, and each name has its own', async () => {
        const [one, other] = [process(), process()];
        const all = await Promise.all([one.dataKeys('urls'), other.dataKeys('urls'), one.dataKeys('urls')]);
        expect(new Set(all.map(({ held }) => held[0]!.key.toString('hex'))).size).toBe(1);
        expect(all[0].held).toEqual([{ version: 1, key: expect.any(Buffer) as Buffer, madeAt: 0 }]);
        expect(all[0].held[0]!.key).toHaveLength(32);
        for (const name of ['devices', 'urls-2', 'url', 'urls2']) {
          expect((await other.dataKeys(name)).held).toHaveLength(1);
          expect((await other.dataKeys(name)).held[0]!.key.equals(all[0].held[0]!.key)).toBe(false);
        }
        await one.rotateDataKeys(['urls']);
        for (const name of ['devices', 'urls-2', 'url', 'urls2']) {
          expect(versions(await process().dataKeys(name))).toEqual([1]);
        }
      });

      it('keep version 1 as a release without versions made it', async () => {
        const key = randomBytes(32);
        await process().seal('data-key:urls', key);
        expect((await process().dataKeys('urls')).held).toEqual([{ version: 1, key, madeAt: 0 }]);
      });

      it('have a new version after a rotation, and keep the former ones', async () => {
        const [one, other] = [process(), process()];
        const [first] = (await one.dataKeys('urls')).held;
        const keys = await one.dataKeys('urls');
        await one.rotateDataKeys(['urls']);
        const second = keys.newest;
        expect(second).toEqual({ version: 2, key: expect.any(Buffer) as Buffer, madeAt: now });
        expect(second.key.equals(first!.key)).toBe(false);
        expect(keys.held).toEqual([second, first]);
        expect((await other.dataKeys('urls')).held).toEqual([second, first]);
        for (let version = 3; version <= 8; version += 1) await other.rotateDataKeys(['urls']);
        expect(versions(await process().dataKeys('urls'))).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
      });

      it('have one new version when two processes rotate at the same time', async () => {
        const other = process();
        const overtaken = createVault({
          masterKeys: { current: masterKey },
          state: {
            ...state,
            rows: (collection) => {
              const rows = state.rows(collection);
              const put: typeof rows.put = async (row, guard) => {
                if (row.id === 'data-key:urls:2') await other.rotateDataKeys(['urls']);
                return rows.put(row, guard);
              };
              return { ...rows, put };
            },
          },
        });
        await overtaken.rotateDataKeys(['urls']);
        expect(versions(await overtaken.dataKeys('urls'))).toEqual([2, 1]);
        expect((await overtaken.dataKeys('urls')).held).toEqual((await other.dataKeys('urls')).held);
      });

      it('are found by a process that did not see the rotation', async () => {
        const keys = await process().dataKeys('urls');
        const { held } = keys;
        const rotating = process();
        await rotating.rotateDataKeys(['urls']);
        expect(keys.held).toBe(held);
        expect(await keys.find(1)).toBe(held[0]);
        expect(keys.held).toBe(held);
        expect(await keys.find(2)).toEqual((await rotating.dataKeys('urls')).newest);
        expect(await keys.find(3)).toBeUndefined();
        const known = keys.held;
        await keys.refresh();
        expect(keys.held).toBe(known);
      });

      it('are read again together, and not more than once a second', async () => {
        let reads = 0;
        const counting: DocumentStore = {
          ...state,
          rows: (collection) => {
            const rows = state.rows(collection);
            return { ...rows, find: (query) => ((reads += 1), rows.find(query)) };
          },
        };
        const keys = await createVault({ state: counting, masterKeys: { current: masterKey } }).dataKeys('urls');
        reads = 0;
        const found = await Promise.all(Array.from({ length: 50 }, (_, index) => keys.find(index + 2)));
        expect([found.every((key) => key === undefined), reads]).toEqual([true, 1]);
      });

      it('lose the versions that were replaced before a time, and never the newest', async () => {
        const [one, other] = [process(), process()];
        const known = await other.dataKeys('urls');
        expect(await one.dropDataKeys('urls', now)).toEqual([]);
        const times = [1, 2, 3].map((hours) => now + hours * HOUR);
        for (now of times) await one.rotateDataKeys(['urls']);
        expect(await one.dropDataKeys('urls', times[0]! - 1)).toEqual([]);
        expect(await one.dropDataKeys('urls', times[1]!)).toEqual([2, 1]);
        expect(versions(await one.dataKeys('urls'))).toEqual([4, 3]);
        await known.refresh();
        expect(versions(known)).toEqual([4, 3]);
        expect(await one.dropDataKeys('urls', times[2]! + 100 * HOUR)).toEqual([3]);
        expect(await one.dropDataKeys('urls', times[2]! + 100 * HOUR)).toEqual([]);
        // A dropped version does not come back.
        expect(versions(await process().dataKeys('urls'))).toEqual([4]);
        await process().rotateDataKeys(['urls']);
        expect(versions(await process().dataKeys('urls'))).toEqual([5, 4]);
      });

      it('have a bounded number of versions', async () => {
        for (let version = 2; version <= 8; version += 1) await process().rotateDataKeys(['urls']);
        await expect(process().rotateDataKeys(['other', 'urls'])).rejects.toMatchObject({
          code: 'TOO_MANY_DATA_KEY_VERSIONS',
        });
        expect(versions(await process().dataKeys('other'))).toEqual([1]);
        await process().dropDataKeys('urls', now);
        await process().rotateDataKeys(['other', 'urls']);
        expect(versions(await process().dataKeys('urls'))).toEqual([9, 8]);
        expect(versions(await process().dataKeys('other'))).toEqual([2, 1]);
      });

      it('are not opened after a version was put in the place of another', async () => {
        await process().rotateDataKeys(['urls']);
        await sealedRows().put({ ...(await sealedRows().get('data-key:urls'))!, id: 'data-key:urls:2' });
        await expect(process().dataKeys('urls')).rejects.toThrow(SealBrokenError);
      });
    });

    it('keeps no secret in the clear', async () => {
      const vault = vaultUnder(masterKey);
      await vault.seal('a', Buffer.from('correct horse'));
      const [row] = await state.rows({ name: 'secrets', indexes: [] }).find();
      const text = JSON.stringify(row);
      expect(text).not.toContain('correct horse');
      expect(text).not.toContain(Buffer.from('correct horse').toString('base64'));
    });

    it('replaces a changing secret for the writer alone who saw the one before', async () => {
      const secrets = vaultUnder(masterKey).changing('oauthTokens');
      const first = await secrets.put('a', Buffer.from('first'), 'absent');
      expect(await secrets.put('a', Buffer.from('other'), 'absent')).toBeUndefined();
      const second = await secrets.put('a', Buffer.from('second'), first!);
      expect(await secrets.put('a', Buffer.from('late'), first!)).toBeUndefined();
      expect(await secrets.open('a')).toEqual({ secret: Buffer.from('second'), version: second });
      await secrets.put('b', Buffer.from('x'), 'absent');
      expect(await secrets.ids()).toEqual(['a', 'b']);
      expect(await secrets.delete('a', first)).toBe(false);
      expect([await secrets.delete('a', second), await secrets.delete('a')]).toEqual([true, false]);
      expect(await secrets.open('a')).toBeUndefined();
      await expect(vaultUnder(randomBytes(32)).changing('oauthTokens').open('b')).rejects.toThrow(SealBrokenError);
    });

    it('updates a changing secret from what it opens, and loses no update', async () => {
      const secrets = vaultUnder(masterKey).changing('oauthTokens');
      const add = () => secrets.update('a', (secret) => Buffer.concat([secret ?? Buffer.alloc(0), Buffer.from('x')]));
      await Promise.all([add(), add(), add()]);
      expect((await secrets.open('a'))?.secret.toString()).toBe('xxx');
      const underAnotherKey = vaultUnder(randomBytes(32))
        .changing('oauthTokens')
        .update('a', () => Buffer.from('y'));
      await expect(underAnotherKey).rejects.toThrow(SealBrokenError);
      expect((await secrets.open('a'))?.secret.toString()).toBe('xxx');
    });

    it('opens no collection that was not declared, which it would never seal again', () => {
      expect(() => vaultUnder(masterKey).changing('others')).toThrow('"others"');
    });

    it('lists ids by prefix, page by page', async () => {
      const vault = vaultUnder(masterKey);
      for (const id of ['key-2', 'kez', 'key-1', 'ke', 'key-', 'key-3', 'data-key:x'])
        await vault.seal(id, Buffer.from('x'));
      expect(await vault.ids({ prefix: 'key-', after: '', limit: 3 })).toEqual(['key-', 'key-1', 'key-2']);
      expect(await vault.ids({ prefix: 'key-', after: 'key-2', limit: 3 })).toEqual(['key-3']);
    });

    it('rejects a master key that is not the installation’s', async () => {
      await checkMasterKeys(state, { current: masterKey });
      await checkMasterKeys(state, { current: masterKey });
      const [another, third] = [randomBytes(32), randomBytes(32)];
      await expect(checkMasterKeys(state, { current: another })).rejects.toThrow(/MASTER_KEY .*MASTER_KEY_PREVIOUS/);
      await expect(checkMasterKeys(state, { current: another, previous: third })).rejects.toThrow(
        /^Neither .*MASTER_KEY .*MASTER_KEY_PREVIOUS/,
      );
      await checkMasterKeys(state, { current: another, previous: masterKey });
    });

    describe('after a change of the master key', () => {
      const newKey = randomBytes(32);
      const ids = Array.from({ length: 120 }, (_, index) => `key-${String(index).padStart(3, '0')}`);
      const secretOf = (id: string) => Buffer.from(`secret of ${id}`);
      let both: Vault;
      let dataKeys: readonly DataKey[];

      beforeEach(async () => {
        await checkMasterKeys(state, { current: masterKey });
        const before = vaultUnder(masterKey);
        await before.rotateDataKeys(['urls']);
        dataKeys = (await before.dataKeys('urls')).held;
        await Promise.all(ids.map((id) => before.seal(id, secretOf(id))));
        both = vaultUnder(newKey, masterKey);
      });

      const opensAll = async (vault: Vault, expected = ids) => {
        for (const id of expected) expect((await vault.open(id))?.equals(secretOf(id))).toBe(true);
      };

      it('opens under either key, and seals under the current one', async () => {
        await opensAll(both);
        await both.seal('new', secretOf('new'));
        await opensAll(vaultUnder(newKey), ['new']);
        await expect(vaultUnder(masterKey).open('new')).rejects.toThrow(SealBrokenError);
        expect((await both.dataKeys('urls')).held).toEqual(dataKeys);
        expect(await both.countUnderOtherKeys()).toBe(ids.length + 3);
      });

      it('seals everything again, after which the former key opens nothing', async () => {
        // Both versions of the data key and the check of the installation's master key are added.
        expect(await both.reseal(WHOLE)).toEqual({ resealed: ids.length + 3, failed: [], remaining: 0, next: null });
        expect(await both.reseal(WHOLE)).toEqual({ resealed: 0, failed: [], remaining: 0, next: null });
        await opensAll(vaultUnder(newKey));
        expect((await vaultUnder(newKey).dataKeys('urls')).held).toEqual(dataKeys);
        await checkMasterKeys(state, { current: newKey });
        await expect(checkMasterKeys(state, { current: masterKey })).rejects.toThrow(/MASTER_KEY/);
        await expect(vaultUnder(masterKey).open(ids[0]!)).rejects.toThrow(SealBrokenError);
      });

      it('continues part by part, and needs the former key until the last one is done', async () => {
        let total = 0;
        let after = '';
        for (let parts = 1; ; parts += 1) {
          const part = await both.reseal({ after, budgetMs: 0 });
          total += part.resealed;
          expect(await both.countUnderOtherKeys()).toBe(ids.length + 3 - total);
          if (part.next === null) {
            expect([parts > 2, part.remaining]).toEqual([true, 0]);
            break;
          }
          await expect(checkMasterKeys(state, { current: newKey })).rejects.toThrow(/MASTER_KEY_PREVIOUS/);
          await opensAll(both);
          after = part.next;
        }
        await checkMasterKeys(state, { current: newKey });
      });

      it('seals changing secrets again, in whichever part they come', async () => {
        const before = vaultUnder(masterKey).changing('oauthTokens');
        for (const id of ids) await before.put(id, secretOf(id), 'absent');
        expect(await both.countUnderOtherKeys()).toBe(ids.length * 2 + 3);
        let resealed = 0;
        for (let after: string | null = ''; after !== null;) {
          const part: Resealed = await both.reseal({ after, budgetMs: 0 });
          resealed += part.resealed;
          if (part.next !== null) await expect(checkMasterKeys(state, { current: newKey })).rejects.toThrow();
          after = part.next;
        }
        expect([resealed, await both.countUnderOtherKeys()]).toEqual([ids.length * 2 + 3, 0]);
        const afterwards = vaultUnder(newKey).changing('oauthTokens');
        for (const id of ids) expect((await afterwards.open(id))?.secret).toEqual(secretOf(id));
        await checkMasterKeys(state, { current: newKey });
      });

      it('started over after it broke off, does the rest', async () => {
        const { resealed } = await both.reseal({ budgetMs: 0 });
        expect(resealed).toBeLessThan(ids.length);
        expect((await both.reseal(WHOLE)).resealed).toBe(ids.length + 3 - resealed);
      });

      it('runs several at a time, next to writers and deletions, and restores nothing', async () => {
        const gone = ids.filter((_, index) => index % 3 === 0);
        const added = ids.map((id) => `${id}-late`);
        const parts = await Promise.all([
          both.reseal(WHOLE),
          vaultUnder(newKey, masterKey).reseal(WHOLE),
          vaultUnder(newKey, masterKey).reseal(WHOLE),
          ...gone.map((id) => both.delete(id)),
          ...added.map((id) => both.seal(id, secretOf(id))),
        ]);
        const results = parts.filter((part) => typeof part === 'object');
        expect(results.flatMap(({ failed }) => failed)).toEqual([]);
        expect(results.reduce((sum, { resealed }) => sum + resealed, 0)).toBeLessThanOrEqual(ids.length + 3);
        expect(await both.countUnderOtherKeys()).toBe(0);
        for (const id of gone) expect(await both.open(id)).toBeUndefined();
        await opensAll(vaultUnder(newKey), [...ids.filter((id) => !gone.includes(id)), ...added]);
      });

      it('does not bring back what is deleted between its look and its write', async () => {
        const rows = sealedRows();
        const overtaken = createVault({
          masterKeys: { current: newKey, previous: masterKey },
          changing: CHANGING,
          state: {
            ...state,
            rows: (collection) => ({
              ...state.rows(collection),
              getVersioned: async (id) => {
                const found = await state.rows(collection).getVersioned(id);
                if (id === ids[0]) await rows.delete(id);
                return found;
              },
            }),
          },
        });
        expect(await overtaken.reseal(WHOLE)).toMatchObject({ resealed: ids.length + 2, failed: [], remaining: 0 });
        expect(await both.open(ids[0]!)).toBeUndefined();
      });

      it('keeps asking for the former key when only a later part was done', async () => {
        expect(await both.reseal({ ...WHOLE, after: ids[ids.length - 1]! })).toMatchObject({ resealed: 0, next: null });
        await expect(checkMasterKeys(state, { current: newKey })).rejects.toThrow(/MASTER_KEY_PREVIOUS/);
      });

      it('names what no key opens, leaves it, and does the rest', async () => {
        await vaultUnder(randomBytes(32)).seal('lost', secretOf('lost'));
        const broken = (await sealedRows().get(ids[7]!))!;
        await sealedRows().put({ ...broken, sealed: Buffer.from('tampered with it').toString('base64') });
        expect(await both.reseal(WHOLE)).toEqual({
          resealed: ids.length + 2,
          failed: [ids[7], 'lost'],
          remaining: 2,
          next: null,
        });
        await checkMasterKeys(state, { current: newKey });
        expect((await sealedRows().get(ids[7]!))?.keyId).toBe(broken.keyId);
      });

      it('can do nothing without the former key, and leaves the installation to it', async () => {
        const stranger = vaultUnder(randomBytes(32));
        const { resealed, failed, remaining } = await stranger.reseal(WHOLE);
        expect([resealed, failed.length, remaining]).toEqual([0, ids.length + 2, ids.length + 3]);
        await checkMasterKeys(state, { current: masterKey });
        await opensAll(vaultUnder(masterKey));
      });
    });
  });

  describe('MASTER_KEY', () => {
    it('is not blamed for an unavailable state store', async () => {
      const state = await open();
      await state.close();
      await expect(checkMasterKeys(state, { current: randomBytes(32) })).rejects.toBeInstanceOf(
        DocumentStoreUnavailableError,
      );
    });

    it('is 64 hexadecimal digits or Base64 of 32 bytes', () => {
      const key = randomBytes(32);
      expect(masterKeyFrom(key.toString('hex')).equals(key)).toBe(true);
      expect(masterKeyFrom(` ${key.toString('base64')}\n`).equals(key)).toBe(true);
    });

    it.each(['', 'hunter2', 'f'.repeat(63), 'g'.repeat(64), randomBytes(16).toString('base64')])(
      'rejects %p without repeating it',
      (text) => {
        expect(() => masterKeyFrom(text)).toThrow(/64 hexadecimal digits/);
        if (text !== '') expect(() => masterKeyFrom(text)).not.toThrow(text);
        expect(() => masterKeyFrom(text, 'MASTER_KEY_PREVIOUS')).toThrow(/MASTER_KEY_PREVIOUS must be 64/);
      },
    );
  });
}
