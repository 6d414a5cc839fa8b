import type { ChosenChannel } from '../devices/chosen-channels';
import { ChannelChoices } from './channel-choices';

const row = (device: string, more: Partial<ChosenChannel> = {}): ChosenChannel => ({
  ...{ id: `1/${device}`, appId: 1, device, channel: 'beta.1', at: 10, expiresAt: 100, ...more },
});

function holding(...rows: ChosenChannel[]): ChannelChoices {
  const choices = new ChannelChoices();
  for (const one of rows) choices.add(one);
  return choices;
}

it('holds the choice of a device until it expires', () => {
  const choices = holding(row('phone'));
  const channel = () => choices.of(1, ['phone'])?.channel;
  expect([choices.isUsedBy(1), choices.isUsedBy(2)]).toEqual([true, false]);
  expect([channel(), choices.of(2, ['phone']), choices.of(1, ['tablet'])]).toEqual(['beta.1', undefined, undefined]);
  choices.tick(99);
  expect(channel()).toBe('beta.1');
  choices.tick(100);
  expect(channel()).toBeUndefined();
});

it('goes by the latest row of a device, under whichever hash and in whichever order they are read', () => {
  const [first, other, ended] = [
    row('a'),
    row('b', { at: 11, channel: 'beta.2' }),
    row('a', { at: 12, expiresAt: 12 }),
  ];
  expect(holding(first, other).of(1, ['a', 'b'])?.channel).toBe('beta.2');
  for (const rows of [
    [first, other, ended],
    [ended, other, first],
  ]) {
    expect(holding(...rows).of(1, ['a', 'b'])).toBeUndefined();
  }
});

it('is over from the row on in which a device takes it back, although the present time is known later', () => {
  const choices = holding(row('phone'), row('phone', { at: 50, expiresAt: 50 }));
  choices.tick(40);
  expect(choices.of(1, ['phone'])).toBeUndefined();
});

it('counts devices, also those whose choice is over, until the rows are read again or the device is forgotten', () => {
  const choices = holding(row('a'), row('b', { expiresAt: 10 }), row('c', { appId: 2 }));
  expect([choices.sizeOf(1), choices.sizeOf(2), choices.size]).toEqual([2, 1, 3]);
  choices.forget(1, ['a']);
  expect([choices.sizeOf(1), choices.of(1, ['a'])]).toEqual([1, undefined]);
  choices.forget(2, ['c', 'unknown']);
  expect(choices.isUsedBy(2)).toBe(false);
  choices.replaceBy(holding(row('d')));
  expect([choices.size, choices.of(1, ['d'])?.channel]).toEqual([1, 'beta.1']);
});
