import { anyCharacter } from '@sluice/testing/any-character';
import fc from 'fast-check';
import { hasCharacters, isStorableText, toStorableText, wellFormedJson } from './text';

const halves = fc.constantFrom('\ud800', '\udbff', '\udc00', '\udfff', '\\', '\\ud800', 'ud800', '\0', '"', '💥');
/** Any text, in which what JSON escapes and what UTF-8 can't spell is frequent. */
const text = fc.array(fc.oneof(halves, fc.string({ unit: anyCharacter }))).map((parts) => parts.join(''));

it('takes every text without NUL and without half of a surrogate pair', () => {
  expect(['', 'Zürich', '💥', '\ufffd', '\n'].map(isStorableText)).toEqual([true, true, true, true, true]);
  expect(['\0', 'a\0b', '\ud800', 'a\udfff', '\udca5\ud83d'].map(isStorableText)).toEqual(Array(5).fill(false));
});

it('counts each code point once, as JSON Schema does', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 12 }), fc.nat(5), fc.nat(7), (given, min, more) => {
      const count = Array.from(given).length;
      expect(hasCharacters(given, min, min + more)).toBe(count >= min && count <= min + more);
    }),
  );
  expect([hasCharacters('💥'.repeat(255), 1, 255), hasCharacters('💥'.repeat(256), 1, 255)]).toEqual([true, false]);
  expect([hasCharacters('💥'.repeat(15), 16, 200), hasCharacters('💥'.repeat(16), 16, 200)]).toEqual([false, true]);
});

it('replaces each character that it does not take, and no other', () => {
  expect(toStorableText('a\0b\ud800💥\udc00')).toBe('a\ufffdb\ufffd💥\ufffd');
  fc.assert(
    fc.property(text, (given) => {
      const storable = toStorableText(given);
      expect(isStorableText(storable)).toBe(true);
      expect(storable).toHaveLength(given.length);
      expect(isStorableText(given)).toBe(storable === given);
    }),
  );
});

it('writes JSON that every UTF-8 reader takes, with nothing else changed', () => {
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text))), (given) => {
      const json = wellFormedJson(given);
      const parsed = JSON.parse(json) as unknown;
      expect(parsed).toEqual(
        JSON.parse(JSON.stringify(given), (_member, value: unknown) => wellFormed(value)) as unknown,
      );
    }),
  );
});

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member.toWellFormed(), inner as unknown]));
}
