import { copyError, copyValue } from './sanitise';

describe('a copied value', () => {
  it('is six levels deep', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 6; level += 1) deep = { deep };
    expect(copyValue(deep)).toEqual(deep);
    expect(JSON.stringify(copyValue({ deep, list: [[[[[[1]]]]]] }))).toBe(
      '{"deep":{"deep":{"deep":{"deep":{"deep":{"deep":"[Object]"}}}}},"list":[[[[["[Array]"]]]]]}',
    );
  });

  it('has its cycles cut, and keeps a value that merely occurs twice', () => {
    const shared = { value: 1 };
    const cyclic: Record<string, unknown> = { first: shared, second: shared };
    cyclic['self'] = cyclic;
    expect(copyValue(cyclic)).toEqual({ first: shared, second: shared, self: '[Circular]' });
  });

  it('says what JSON can not', () => {
    const value = {
      when: new Date(0),
      big: 10n,
      call: () => 1,
      sign: Symbol('s'),
      map: new Map([['a', 1]]),
      set: new Set([1]),
      url: new URL('https://example.com/'),
      get broken() {
        throw new Error('no');
      },
    };
    expect(copyValue(value)).toEqual({
      when: '1970-01-01T00:00:00.000Z',
      big: '10',
      call: '[Function]',
      sign: 'Symbol(s)',
      map: [['a', 1]],
      set: [1],
      url: 'https://example.com/',
      broken: undefined,
    });
  });

  it('is no larger than 2,000 values, and has no prototype of its own', () => {
    const many = copyValue(Array.from({ length: 100_000 }, () => ({ a: 1 }))) as unknown[];
    expect(many.length).toBeLessThanOrEqual(2_001);
    const copy = copyValue(JSON.parse('{"__proto__":{"admin":true}}')) as object;
    expect('admin' in copy).toBe(false);
  });
});

describe('a copied error', () => {
  it('keeps name, message, stack and causes, and nothing that an app hung on it', () => {
    const cause = new RangeError('inner');
    const error = Object.assign(new TypeError('outer', { cause }), {
      config: { headers: { authorization: 'secret' } },
    });
    const copy = copyError(error);
    expect(copy).toMatchObject({
      name: 'TypeError',
      message: 'outer',
      stack: error.stack,
      cause: { message: 'inner' },
    });
    expect(copy).not.toBe(error);
    expect(Object.keys(copy)).toEqual([]);
    expect(copy).not.toHaveProperty('config');
  });

  it('has no cycle in its causes, and at most six of them', () => {
    const first = new Error('first');
    const second = new Error('second', { cause: first });
    first.cause = second;
    expect(copyError(first).cause).toMatchObject({ message: 'second' });
    expect((copyError(first).cause as Error).cause).toBeUndefined();

    const chain = Array.from({ length: 20 }).reduce<Error>(
      (cause, _, place) => new Error(`${place}`, { cause }),
      new Error('end'),
    );
    let length = 0;
    for (let at: unknown = copyError(chain); at instanceof Error; at = at.cause) length += 1;
    expect(length).toBe(6);
  });

  it('of what is no error begins where it was logged', () => {
    const copy = copyError('only words', undefined, copyError);
    expect(copy).toMatchObject({ name: 'Error', message: 'only words' });
    expect(copy.stack?.split('\n')[1]).toContain('sanitise.spec.ts');
    expect(copyError({ code: 5 }).message).toBe('{"code":5}');
  });
});
