import { randomBytes } from 'node:crypto';
import { type DocumentStore, DocumentStoreUnavailableError } from '@sluice/document-store';
import { checkMasterKey, createVault, masterKeyFrom, SealBrokenError } from './vault';

/** What a vault promises on every state store. @param open gives an empty store */
export function vaultContract(open: () => Promise<DocumentStore>): void {
  describe('the vault', () => {
    let state: DocumentStore;
    const masterKey = randomBytes(32);

    beforeEach(async () => {
      state = await open();
    });
    afterEach(() => state.close());

    it('opens what it sealed', async () => {
      const vault = createVault({ state, masterKey });
      expect(await vault.seal('a', Buffer.from('secret'))).toBe(true);
      expect((await vault.open('a'))?.toString()).toBe('secret');
      expect(await vault.open('b')).toBeUndefined();
    });

    it('never replaces a secret', async () => {
      const vault = createVault({ state, masterKey });
      await vault.seal('a', Buffer.from('first'));
      expect(await vault.seal('a', Buffer.from('second'))).toBe(false);
      expect((await vault.open('a'))?.toString()).toBe('first');
    });

    it('forgets a deleted secret', async () => {
      const vault = createVault({ state, masterKey });
      await vault.seal('a', Buffer.from('x'));
      expect(await vault.delete('a')).toBe(true);
      expect(await vault.delete('a')).toBe(false);
      expect(await vault.open('a')).toBeUndefined();
    });

    it('opens nothing under another master key', async () => {
      await createVault({ state, masterKey }).seal('a', Buffer.from('x'));
      await expect(createVault({ state, masterKey: randomBytes(32) }).open('a')).rejects.toThrow(SealBrokenError);
    });

    it('opens nothing that was changed, or moved to another id', async () => {
      const vault = createVault({ state, masterKey });
      await vault.seal('a', Buffer.from('x'));
      await vault.seal('b', Buffer.from('y'));
      const rows = state.rows<{ id: string; keyId: string; nonce: string; sealed: string }>({
        name: 'secrets',
        indexes: [],
      });
      const [a, b] = [await rows.get('a'), await rows.get('b')];
      await rows.put({ ...b!, id: 'a' });
      await expect(vault.open('a')).rejects.toThrow(SealBrokenError);
      await rows.put({ ...a!, id: 'a', sealed: Buffer.from('tampered with it').toString('base64') });
      await expect(vault.open('a')).rejects.toThrow(SealBrokenError);
    });

    it('opens nothing whose tag was cut short', async () => {
      const vault = createVault({ state, masterKey });
      await vault.seal('a', Buffer.alloc(0));
      const rows = state.rows<{ id: string; keyId: string; nonce: string; sealed: string }>({
        name: 'secrets',
        indexes: [],
      });
      const row = (await rows.get('a'))!;
      const tag = Buffer.from(row.sealed, 'base64');
      await rows.put({ ...row, sealed: tag.subarray(0, 4).toString('base64') });
      await expect(vault.open('a')).rejects.toThrow(SealBrokenError);
    });

    it('gives every process the same data key, and each name its own', async () => {
      const [one, other] = [createVault({ state, masterKey }), createVault({ state, masterKey })];
      const keys = await Promise.all([one.dataKey('urls'), other.dataKey('urls'), one.dataKey('urls')]);
      expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
      expect(keys[0]).toHaveLength(32);
      expect((await other.dataKey('devices')).equals(keys[0])).toBe(false);
    });

    it('keeps no secret in the clear', async () => {
      const vault = createVault({ state, masterKey });
      await vault.seal('a', Buffer.from('correct horse'));
      const [row] = await state.rows({ name: 'secrets', indexes: [] }).find();
      const text = JSON.stringify(row);
      expect(text).not.toContain('correct horse');
      expect(text).not.toContain(Buffer.from('correct horse').toString('base64'));
    });

    it('refuses a master key that is not the installation’s', async () => {
      await checkMasterKey(state, masterKey);
      await checkMasterKey(state, masterKey);
      await expect(checkMasterKey(state, randomBytes(32))).rejects.toThrow(/MASTER_KEY/);
    });
  });

  describe('MASTER_KEY', () => {
    it('is not blamed for a state store that is away', async () => {
      const state = await open();
      await state.close();
      await expect(checkMasterKey(state, randomBytes(32))).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
    });

    it('is 64 hexadecimal digits or Base64 of 32 bytes', () => {
      const key = randomBytes(32);
      expect(masterKeyFrom(key.toString('hex')).equals(key)).toBe(true);
      expect(masterKeyFrom(` ${key.toString('base64')}\n`).equals(key)).toBe(true);
    });

    it.each(['', 'hunter2', 'f'.repeat(63), 'g'.repeat(64), randomBytes(16).toString('base64')])(
      'refuses %p without repeating it',
      (text) => {
        expect(() => masterKeyFrom(text)).toThrow(/64 hexadecimal digits/);
        if (text !== '') expect(() => masterKeyFrom(text)).not.toThrow(text);
      },
    );
  });
}
