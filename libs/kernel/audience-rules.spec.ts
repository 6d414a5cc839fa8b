import { compileRule } from './audience-rules';
import { parseVersion } from './version';

const version = (text: string) => parseVersion(text)!;

describe('the rule of an attribute', () => {
  it('accepts text that is equal, or one of several', () => {
    const equal = compileRule({ equal: 'pro' });
    expect(['pro', 'Pro', 'pro ', ''].map(equal)).toEqual([true, false, false, false]);
    const several = compileRule({ in: ['pro', 'team'] });
    expect(['pro', 'team', 'pro,team'].map(several)).toEqual([true, true, false]);
  });

  it('compares versions as versions, however they are written', () => {
    const equal = compileRule({ equal: '17' });
    expect(['17', '17.0.0', 'v17.0', '17.0.1', '16.9'].map((text) => equal(version(text)))).toEqual([
      ...[true, true, true, false, false],
    ]);
  });

  it('accepts the versions of a range, prereleases as other versions', () => {
    const range = compileRule({ range: '>=17 <19 || 20.x' });
    expect(['16.9.9', '17', '18.9-beta', '19', '20.4.1'].map((text) => range(version(text)))).toEqual([
      ...[false, true, true, false, true],
    ]);
  });

  it('accepts no text by a range, as once the attribute has become text', () => {
    expect(compileRule({ range: '>=17' })('17.0.0')).toBe(false);
  });
});
