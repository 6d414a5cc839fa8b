import { shared } from './shared';

describe('shared', () => {
  it('holds the value that was set last', () => {
    const value = shared<readonly number[]>([]);
    value.set([...value.get(), 1]);
    value.set([...value.get(), 2]);
    expect(value.get()).toEqual([1, 2]);
  });
});
