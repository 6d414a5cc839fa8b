import { arranged, moved } from './columns';

describe('the order of columns', () => {
  it('is the saved one, with new channels last and without deleted ones', () => {
    expect(arranged(['production', 'staging', 'beta'], ['beta', 'gone', 'production'])).toEqual([
      'beta',
      'production',
      'staging',
    ]);
  });

  it('is the given one if none is saved', () => {
    expect(arranged(['production', 'staging'], [])).toEqual(['production', 'staging']);
  });

  it('has a moved channel at the place of the other', () => {
    const channels = ['production', 'staging', 'beta'];
    expect(moved(channels, 'beta', 'staging')).toEqual(['production', 'beta', 'staging']);
    expect(moved(channels, 'production', 'staging')).toEqual(['staging', 'production', 'beta']);
  });
});
