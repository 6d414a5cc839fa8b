import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createKeyring, SealBrokenError } from './keyring';
import { deriveSealKeys, sealKeysFrom, type SealKeys } from './seal-keys';

const masterKey = randomBytes(32);
const ulid = fc.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/);
const name = fc.stringMatching(/^[a-z][a-zA-Z]{0,9}$/);
/** A purpose, and the place of a secret that has it. */
const place = fc.oneof(
  fc.tuple(name, ulid).map(([kind, id]) => ({ purpose: kind, collection: 'secrets', id: `${kind}-${id}` })),
  fc.tuple(name, fc.nat(9)).map(([key, version]) => ({
    ...{ purpose: `data-key:${key}`, collection: 'secrets' },
    id: version < 2 ? `data-key:${key}` : `data-key:${key}:${version}`,
  })),
  fc.tuple(name, fc.string()).map(([collection, id]) => ({ purpose: collection, collection, id })),
);

const keysFor = (purpose: string): SealKeys =>
  sealKeysFrom(deriveSealKeys(masterKey, [purpose]), {
    ...{ setting: 'SEAL_KEYS', service: 'registry', purposes: [purpose] },
  });

it('opens no secret under the key of another purpose', () => {
  fc.assert(
    fc.property(place, place, fc.uint8Array(), (one, other, bytes) => {
      fc.pre(one.purpose !== other.purpose);
      const secret = Buffer.from(bytes);
      const own = createKeyring({ current: keysFor(one.purpose) });
      const sealed = own.seal(one.collection, one.id, secret);
      expect(own.unseal(one.collection, sealed)).toEqual(secret);
      expect(createKeyring({ current: masterKey }).unseal(one.collection, sealed)).toEqual(secret);

      const keys = keysFor(other.purpose);
      expect(() => createKeyring({ current: keys }).unseal(one.collection, sealed)).toThrow(
        `There is no key for ${one.purpose} in SEAL_KEYS`,
      );
      const renamed = new Map([...keys, [one.purpose, keys.get(other.purpose)!]]);
      expect(() => createKeyring({ current: renamed }).unseal(one.collection, sealed)).toThrow(SealBrokenError);
    }),
  );
});

it('opens a secret of its purpose that another process sealed under the master key', () => {
  fc.assert(
    fc.property(place, ({ purpose, collection, id }) => {
      const sealed = createKeyring({ current: masterKey }).seal(collection, id, Buffer.from('x'));
      expect(
        createKeyring({ current: keysFor(purpose) })
          .unseal(collection, sealed)
          .toString(),
      ).toBe('x');
    }),
  );
});
