import { createHash } from 'node:crypto';
import { anyCharacter } from '@sluice/testing/any-character';
import fc from 'fast-check';
import { hashFraction } from './fraction';

it('is the first 53 bits of the SHA-256 over 2^53', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const bits = BigInt(`0x${createHash('sha256').update(text, 'utf8').digest('hex')}`) >> BigInt(256 - 53);
      expect(hashFraction(text)).toBe(Number(bits) / 2 ** 53);
      expect(hashFraction(text)).toBeLessThan(1);
    }),
  );
});
