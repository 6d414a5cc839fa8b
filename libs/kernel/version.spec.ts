import { coerceVersion, isReleaseVersion, parseVersion } from './version';

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

describe('isReleaseVersion', () => {
  it('takes three plain numbers alone', () => {
    expect(['1.2.3', '0.0.0', '10.20.30'].every(isReleaseVersion)).toBe(true);
    expect(['1.2', '01.0.0', 'v1.2.3', '1.2.3-rc', '1.2.3+1'].some(isReleaseVersion)).toBe(false);
  });
});
