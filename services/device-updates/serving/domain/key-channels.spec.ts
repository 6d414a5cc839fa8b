import { keyChannels } from './key-channels';

it.each([
  [undefined, undefined, undefined, ['production', 'pr-1.1', 'pr-1.2']],
  [undefined, [], undefined, ['production', 'pr-1.1', 'pr-1.2']],
  [undefined, ['production'], 'production', ['production']],
  [undefined, ['pr-1'], 'pr-1', ['pr-1.1', 'pr-1.2']],
  [undefined, ['pr-1', 'production'], undefined, ['production', 'pr-1.1', 'pr-1.2']],
  ['pr-1.1', undefined, 'pr-1', ['pr-1.1']],
  ['pr-1.1', ['pr-1'], 'pr-1', ['pr-1.1']],
  ['pr-1.1', ['production'], 'pr-1', []],
])('of the channel %s with the restrictions %j determines %s, and admits %j', (own, names, only, admitted) => {
  const channels = keyChannels(own, names);
  const all = ['production', 'pr-1.1', 'pr-1.2'];
  expect(channels?.only).toBe(only);
  expect(all.filter((channel) => channels?.admits(channel) ?? true)).toEqual(admitted);
});
