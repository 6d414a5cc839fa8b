import { anyCharacter } from '@sluice/testing/any-character';
import fc from 'fast-check';
import { coerceVersion, parseVersion, RELEASE_VERSION, VERSION_START } from './version';

describe('coerceVersion', () => {
  it.each([
    ['1', '1.0.0'],
    ['1.2', '1.2.0'],
    ['v1.2.3', '1.2.3'],
    ['V2', '2.0.0'],
    [' 1.2.3 ', '1.2.3'],
    ['01.2.3', '1.2.3'],
    ['1.2.3.4', '1.2.3'],
    ['1.2.3 (45)', '1.2.3'],
    ['1.2.3-beta.1', '1.2.3-beta.1'],
    ['1.2-rc.1', '1.2.0-rc.1'],
    ['1.2.3+build.5', '1.2.3'],
    ['1.2+7', '1.2.0'],
  ])('reads %j as %s', (text, version) => {
    expect(coerceVersion(text)).toBe(version);
  });

  it.each(['', 'latest', 'x1.2', '-1', '.5', '99999999999999999999.1.1', '1.99999999999999999999', '1'.repeat(300)])(
    'finds no version in %j',
    (text) => {
      expect(coerceVersion(text)).toBeUndefined();
    },
  );

  it('orders a prerelease before its release', () => {
    expect(parseVersion('1.2.3-beta')!.compare(parseVersion('1.2.3')!)).toBeLessThan(0);
    expect(parseVersion('1.2.3-beta.2')!.compare(parseVersion('1.2.3-beta.10')!)).toBeLessThan(0);
  });
});

describe('RELEASE_VERSION', () => {
  it('takes three plain numbers alone', () => {
    const takes = (text: string) => RELEASE_VERSION.test(text);
    expect(['1.2.3', '0.0.0', '10.20.30', '2026.1.123456789012345'].every(takes)).toBe(true);
    expect(['1.2', '01.0.0', 'v1.2.3', '1.2.3-rc', '1.2.3+1', '1.2.1234567890123456'].some(takes)).toBe(false);
  });
});

describe('VERSION_START', () => {
  const tail = fc.string({ unit: fc.constantFrom(...Array.from('0123456789..--+vV= ax💥é(\n')), maxLength: 20 });

  it('begins each text that is read as a version, and no other', () => {
    fc.assert(
      fc.property(tail, (text) => {
        // 15 digits are always a number that can be ordered.
        fc.pre(!/[0-9]{16}/.test(text));
        expect(VERSION_START.test(text)).toBe(parseVersion(text) !== undefined);
      }),
      { numRuns: 3_000 },
    );
  });

  it('begins texts of 250 characters that are read, whatever follows', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 249, maxLength: 249 }), (text) => {
        fc.pre(!/[0-9]{16}/.test(text) && Array.from(text).length === 249);
        expect(parseVersion(`1${text}`)).toBeDefined();
        expect(parseVersion(`1.${text}`)).toBeUndefined();
      }),
    );
    expect(parseVersion(`1-${'a'.repeat(248)}`)).toBeDefined();
  });
});
