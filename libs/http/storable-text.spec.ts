import { isStorableText, ValidationError } from '@sluice/kernel';
import { anyCharacter } from '@sluice/testing/any-character';
import fc from 'fast-check';
import { parseRepairedJson, parseStorableJson, refuseUnstorable } from './storable-text';

const fieldsOf = (action: () => unknown): string[] => {
  try {
    action();
  } catch (error) {
    if (error instanceof ValidationError) return Object.keys(error.errors);
    throw error;
  }
  return [];
};

it('names the member whose text holds half a character or NUL', () => {
  expect(fieldsOf(() => parseStorableJson('{"name":"\\ud800"}'))).toEqual(['name']);
  expect(fieldsOf(() => parseStorableJson('{"rates":[{"name":"a"},{"name":"b\\u0000"}]}'))).toEqual(['rates.1.name']);
  expect(fieldsOf(() => parseStorableJson('"\\uDFFF"'))).toEqual(['body']);
  expect(fieldsOf(() => parseStorableJson('{"a\\u0000":1}'))).toEqual(['a\ufffd']);
  expect(fieldsOf(() => refuseUnstorable({ channel: ['a', '\0'] }))).toEqual(['channel.1']);
});

it('takes characters that only look like halves', () => {
  const body = { escaped: '\\ud800', whole: '💥', replaced: '\ufffd', zero: '\\u0000' };
  expect(parseStorableJson(JSON.stringify(body))).toEqual(body);
  expect(parseStorableJson('{"whole":"\\ud83d\\udca5"}')).toEqual({ whole: '💥' });
  expect(parseStorableJson('')).toBeUndefined();
});

it('finds it in a body of any depth, in a path of bounded length', () => {
  let body: unknown = '\ud800';
  for (let depth = 0; depth < 100_000; depth += 1) body = [body];
  const [path] = fieldsOf(() => refuseUnstorable(body));
  expect(path).toHaveLength(255);
  expect(JSON.stringify(parseRepairedJson('[["\\ud800"]]'))).toBe('[["\ufffd"]]');
});

it('repairs every text, and changes nothing else', () => {
  const text = fc.oneof(fc.constantFrom('\ud800', 'a\0', '💥'), fc.string({ unit: anyCharacter }));
  const name = fc.string().filter((text) => text !== '__proto__');
  fc.assert(
    // A parser of JSON that is safe leaves out the one name that would replace the prototype.
    fc.property(fc.dictionary(name, fc.oneof(text, fc.array(text), fc.integer())), (body) => {
      const repaired = parseRepairedJson(JSON.stringify(body)) as typeof body;
      expect(fieldsOf(() => refuseUnstorable(repaired))).toEqual([]);
      for (const [member, value] of Object.entries(body)) {
        if (typeof value === 'string' && !isStorableText(value)) expect(repaired[member]).toHaveLength(value.length);
        else if (typeof value !== 'object') expect(repaired[member]).toEqual(value);
      }
    }),
  );
});
