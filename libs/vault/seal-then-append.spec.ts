import { DomainError, UnavailableError } from '@sluice/kernel';
import { dropFormerSeals, dropSeal, sealThenAppend } from './seal-then-append';

let sealed: Map<string, string>;
const vault = {
  seal: (id: string, secret: Buffer) => Promise.resolve(Boolean(sealed.set(id, secret.toString()))),
  delete: (id: string) => Promise.resolve(sealed.delete(id)),
};
const broken = { delete: () => Promise.reject(new Error('The vault is unavailable.')) };
const secret = Buffer.from('secret');

beforeEach(() => {
  sealed = new Map();
});

describe('sealing a secret before its event', () => {
  it('seals first, and keeps the seal that the event names', async () => {
    const append = () => Promise.resolve({ repeated: false, found: sealed.get('seal-1') });
    expect(await sealThenAppend(vault, 'seal-1', secret, append)).toEqual({ repeated: false, found: 'secret' });
    expect([...sealed]).toEqual([['seal-1', 'secret']]);
  });

  it('appends without a seal when none is to be kept', async () => {
    await sealThenAppend(vault, null, secret, () => Promise.resolve({ repeated: true }));
    expect(sealed.size).toBe(0);
  });

  it('appends nothing when the secret cannot be sealed', async () => {
    const append = jest.fn();
    const away = { ...vault, seal: () => Promise.reject(new UnavailableError('The vault is unavailable.')) };
    await expect(sealThenAppend(away, 'seal-1', secret, append)).rejects.toThrow(UnavailableError);
    expect(append).not.toHaveBeenCalled();
  });

  it.each([
    ['a repeat', () => Promise.resolve({ repeated: true }), 0],
    ['a rejected command', () => Promise.reject(new DomainError('TOKEN_REVOKED', 'Revoked.')), 0],
    ['an unknown outcome', () => Promise.reject(new UnavailableError('Unavailable.')), 1],
    ['a fault', () => Promise.reject(new Error('Fault.')), 1],
  ])('of %s leaves as many seals as an event may name', async (_, append, left) => {
    await sealThenAppend(vault, 'seal-1', secret, append).catch(() => undefined);
    expect(sealed.size).toBe(left);
  });
});

describe('dropping seals', () => {
  it('drops what each event made useless', async () => {
    for (const id of ['a', 'b', 'c', 'd']) sealed.set(id, id);
    await dropFormerSeals(vault, [
      { data: { formerSealId: 'a' } },
      { data: { formerSealId: null } },
      { data: { formerSealId: 'b', sealIds: ['b', 'c'] } },
      { data: {} },
    ]);
    expect([...sealed.keys()]).toEqual(['d']);
  });

  it('never fails', async () => {
    await dropSeal(broken, 'a');
    await dropFormerSeals(broken, [{ data: { formerSealId: 'a' } }]);
  });
});
