import { anyCharacter } from '@sluice/testing/any-character';
import fc from 'fast-check';
import { parseJsonBody, refuseManyValues, requireJsonObject, textOfBody } from './json-body';

const such = (members: object) => expect.objectContaining(members) as Error;

describe('a JSON body', () => {
  it('is undefined when it is empty or blank', () => {
    expect([parseJsonBody(''), parseJsonBody(' \r\n')]).toEqual([undefined, undefined]);
  });

  it('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: anyCharacter }), (text) => {
        expect(JSON.stringify(parseJsonBody(text))).toBe(
          JSON.stringify(JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value))),
        );
      }),
    );
  });

  it('rejects what is no JSON, with the reason', () => {
    expect(() => parseJsonBody('{')).toThrow(
      such({ code: 'INVALID_JSON', message: expect.stringContaining('not valid JSON') as string }),
    );
  });

  it('is rejected as such where it is not UTF-8', () => {
    expect(textOfBody(Buffer.from('{"name":"café"}'))).toBe('{"name":"café"}');
    for (const bytes of [Buffer.from('café', 'latin1'), Buffer.of(0xed, 0xa0, 0x80), Buffer.of(0xc0, 0x80)]) {
      expect(() => textOfBody(bytes)).toThrow(
        such({ code: 'INVALID_JSON', message: 'The body is not valid UTF-8. Send JSON encoded as UTF-8.' }),
      );
    }
  });

  it.each([
    ['__proto__', '{"__proto__":{"admin":true},"name":"x"}'],
    ['__proto__ with escaped characters', String.raw`{"_\u005fproto_\u005F":{"admin":true},"name":"x"}`],
    ['constructor.prototype', '{"constructor":{"prototype":{"admin":true}},"name":"x"}'],
    ['constructor.prototype with escaped characters', String.raw`{"\u0063onstructor":{"\u0070rototype":1},"name":"x"}`],
  ])('loses %s, however deep it is', (_, text) => {
    expect(Object.entries(parseJsonBody(text) as object)).toEqual([['name', 'x']]);
    const [inner] = (parseJsonBody(`{"a":[${text}]}`) as { a: [object] }).a;
    expect(Object.entries(inner)).toEqual([['name', 'x']]);
    expect(Object.getPrototypeOf(inner)).toBe(Object.prototype);
  });

  it('keeps a constructor that reaches no prototype', () => {
    expect(parseJsonBody('{"constructor":{"name":"x"}}')).toEqual({ constructor: { name: 'x' } });
  });

  it('may be nested as deeply as its size allows', () => {
    const depth = 200_000;
    expect(() => parseJsonBody(`{"__proto__":0,"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)).not.toThrow();
  });

  it('calls no function for each of its values', () => {
    const parse = jest.spyOn(JSON, 'parse');
    parseJsonBody('[0,0,0]');
    expect(parse.mock.calls).toEqual([['[0,0,0]']]);
    parse.mockRestore();
  });

  it.each([
    ['null', 'null'],
    ['[]', 'an array'],
    ['5', 'a number'],
    ['"x"', 'a string'],
    ['true', 'a boolean'],
  ])('that is %s is rejected where an object is expected', (text, given) => {
    expect(() => requireJsonObject(parseJsonBody(text))).toThrow(
      such({
        details: { errors: { body: [`The body must be a JSON object, for example {}. Received: ${given}.`] } },
      }),
    );
  });

  it.each(['', '{}'])('may be "%s" where an object is expected', (text) => {
    expect(() => requireJsonObject(parseJsonBody(text))).not.toThrow();
  });
});

describe('how many values a JSON body has', () => {
  const MOST = 50_000;
  const list = (values: number, value: string) => `[${Array<string>(values).fill(value).join(',')}]`;
  const tooMany = such({ code: 'PAYLOAD_TOO_LARGE', details: { max_values: MOST } });

  it.each([
    ['numbers', MOST - 1, '0.0'],
    ['empty objects', MOST - 1, '{ }'],
    ['empty lists', MOST - 1, '[ ]'],
    ['objects of two members', Math.floor((MOST - 1) / 3), '{"a":1,"b":2}'],
    ['texts that look like more', MOST - 1, String.raw`",[{\",[{\\"`],
  ])('is at most 50,000: %s', (_, values, value) => {
    expect(() => refuseManyValues(list(values, value))).not.toThrow();
    expect(() => refuseManyValues(list(values + 1, value))).toThrow(tooMany);
  });

  it('is the number that the parser makes', () => {
    const count = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, inner) => sum + count(inner), 1)
        : 1;
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1), fc.constantFrom(undefined, 2), (value, over, indent) => {
        // With the list itself, and the one value among the zeroes.
        const zeroes = Array<number>(MOST - 1 - count(value) + over).fill(0);
        const check = () => refuseManyValues(JSON.stringify([value, ...zeroes], null, indent).padEnd(2 * MOST));
        if (over === 0) expect(check).not.toThrow();
        else expect(check).toThrow(tooMany);
      }),
    );
  });
});
