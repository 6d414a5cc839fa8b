import { UnknownEventError, ValidationError } from '@sluice/kernel';
import { specify } from '@sluice/testing';
import { channels, type ChannelsCommand, type ChannelsEvent, channelsStream, MAX_CLOSED } from './channels';

const add = (name: string, expiresAt: string | null = null, limit = 1_000, selfAssign = false): ChannelsCommand => ({
  ...{ type: 'AddChannel', appId: 7, name, expiresAt, selfAssign, limit },
});
const of = (name: string, number: number) => ({ appId: 7, id: `${name}.${number}`, name });
const added = (name: string, number: number, expiresAt?: string): ChannelsEvent => ({
  type: 'ChannelAdded',
  data: { ...of(name, number), ...(expiresAt !== undefined && { expiresAt }) },
});
const removed = (name: string, number: number): ChannelsEvent => ({ type: 'ChannelRemoved', data: of(name, number) });
const forgotten = (name: string, number: number): ChannelsEvent => ({
  type: 'ChannelForgotten',
  data: of(name, number),
});
const remove = (name: string): ChannelsCommand => ({ type: 'RemoveChannel', appId: 7, name });

const { given } = specify(channels);

describe('adding a channel', () => {
  it('gives it an id that no channel of the app had before, whatever its name', () => {
    given().when(add('beta')).then(added('beta', 1));
    given(added('beta', 1)).when(add('pr-7')).then(added('pr-7', 2));
    given(added('beta', 1), removed('beta', 1)).when(add('beta')).then(added('beta', 2));
  });

  it.each(['production', 'staging', 'development', 'beta'])('rejects %s, which the app has', (name) => {
    given(added('beta', 1)).when(add(name)).rejects('CHANNEL_EXISTS');
  });

  it('rejects more than the limit at a time', () => {
    const full = [added('a', 1), added('b', 2)];
    given(...full)
      .when(add('c', null, 2))
      .rejects({ code: 'CHANNEL_LIMIT_REACHED', details: { limit: 2 } });
    given(...full, removed('a', 1))
      .when(add('c', null, 2))
      .then(added('c', 3));
  });
});

describe('the audience of a channel', () => {
  const names = { attributes: { os: 'version' }, groups: ['beta'] } as const;
  const audience = { groups: ['beta'], attributes: { os: { range: '>=17' } } };
  const edit = (name: string, value: object | null): ChannelsCommand => ({
    ...{ type: 'EditChannel', appId: 7, name, audience: value, names },
  });
  const isSet = (id: string, value: object | null): ChannelsEvent => ({
    type: 'ChannelAudienceSet',
    data: { appId: 7, id, name: id.split('.')[0]!, audience: value },
  });

  it('is set, replaced and removed, also of a standard channel; an equal one changes nothing', () => {
    given(added('beta', 1)).when(edit('beta', audience)).then(isSet('beta.1', audience));
    given()
      .when(edit('staging', { pinned_only: true }))
      .then(isSet('staging', { pinned_only: true }));
    const { attributes, groups } = audience;
    given(isSet('staging', audience)).when(edit('staging', { attributes, groups })).then();
    given(isSet('staging', audience)).when(edit('staging', null)).then(isSet('staging', null));
    given(isSet('staging', audience), isSet('staging', null)).when(edit('staging', null)).then();
    // Also if its group was deleted meanwhile.
    const withoutGroups = { ...edit('staging', audience), names: { ...names, groups: [] } } as ChannelsCommand;
    given(isSet('staging', audience)).when(withoutGroups).then();
  });

  it('is set with the channel', () => {
    const command = { ...add('beta'), audience, names } as ChannelsCommand;
    given().when(command).then(added('beta', 1), isSet('beta.1', audience));
  });

  it('does not pass to the next channel of the name', () => {
    const { state } = given(added('beta', 1), isSet('beta.1', audience), removed('beta', 1), added('beta', 2));
    expect([...state.audiences.values()]).toEqual([]);
  });

  it('is rejected if it has a wrong rule, or the app has no such channel', () => {
    for (const wrong of [{}, { groups: ['other'] }, { attributes: { plan: { equal: 'pro' } } }]) {
      expect(() => given(added('beta', 1)).when(edit('beta', wrong)).events).toThrow(ValidationError);
    }
    given()
      .when(edit('staging', { pinned_only: true, groups: ['beta'] }))
      .rejects({ errors: { audience: ['An audience with pinned_only must have no other rule.'] } });
    given().when(edit('nope', audience)).rejects('CHANNEL_NOT_FOUND');
    given()
      .when({ ...edit('staging', audience), expiresAt: null } as ChannelsCommand)
      .rejects('CHANNEL_REQUIRED');
    given({ type: 'ChannelsClosed', data: { appId: 7 } })
      .when(edit('staging', audience))
      .rejects('CHANNEL_NOT_FOUND');
  });
});

describe('expecting a revision of a channel', () => {
  const all = { attributes: { os: { range: '>=17' } } };
  const names = { attributes: { os: 'version' }, groups: [] } as const;
  const beta = given(added('beta', 1), {
    type: 'ChannelEdited',
    data: { ...of('beta', 1), expiresAt: null, selfAssign: true },
  });
  const edit = (name: string, ifRevision: number): ChannelsCommand => ({
    ...{ type: 'EditChannel', appId: 7, name, audience: all, names, ifRevision },
  });

  it('takes a change for the revision that it has, and rejects another one with it', () => {
    for (const command of [edit('beta', 3), { ...remove('beta'), ifRevision: 3 } as ChannelsCommand]) {
      expect(beta.when(command).events).toHaveLength(1);
      const stale = { ...command, ifRevision: 2 } as ChannelsCommand;
      beta.when(stale).rejects({ code: 'CHANNEL_CHANGED', details: { revision: 3 } });
    }
  });

  it('is 1 for a standard channel, until its audience changes', () => {
    const { events } = given().when(edit('staging', 1));
    expect(events).toHaveLength(1);
    given(...events)
      .when(edit('staging', 1))
      .rejects({ code: 'CHANNEL_CHANGED', details: { revision: 2 } });
    expect(given(...events).when(edit('production', 1)).events).toHaveLength(1);
  });

  it('stays when its pins or its expiry are recorded, and when another channel is changed', () => {
    const recorded = given(
      added('beta', 1, '2026-01-01T00:00:00.000Z'),
      { type: 'ChannelPinsChanged', data: { ...of('beta', 1), added: 1, removed: 0, devices: 1, until: null } },
      { type: 'ChannelExpiryDue', data: of('beta', 1) },
      added('pr-7', 2),
    );
    expect(recorded.when(edit('beta', 2)).events).toHaveLength(1);
  });

  it('is another one for the next channel of the name', () => {
    const next = given(added('beta', 1), removed('beta', 1), added('beta', 2));
    next.when(edit('beta', 2)).rejects({ code: 'CHANNEL_CHANGED', details: { revision: 3 } });
  });
});

describe('the pins of a channel', () => {
  const pins = { added: 2, removed: 1, devices: 5, until: '2026-03-01T12:00:00.000Z' };
  const record = (id: string): ChannelsCommand => ({ type: 'RecordPins', appId: 7, id, ...pins });
  const changed = (id: string, name: string): ChannelsEvent => ({
    ...{ type: 'ChannelPinsChanged', data: { appId: 7, id, name, ...pins } },
  });

  it('are recorded while the app has the channel', () => {
    given().when(record('staging')).then(changed('staging', 'staging'));
    given(added('beta', 1)).when(record('beta.1')).then(changed('beta.1', 'beta'));
    given(added('beta', 1), removed('beta', 1), added('beta', 2)).when(record('beta.1')).rejects('CHANNEL_NOT_FOUND');
    given().when(record('beta')).rejects('CHANNEL_NOT_FOUND');
    given({ type: 'ChannelsClosed', data: { appId: 7 } })
      .when(record('staging'))
      .rejects('CHANNEL_NOT_FOUND');
  });
});

describe('deleting a channel', () => {
  it('deletes one that was added, once', () => {
    given(added('beta', 1)).when(remove('beta')).then(removed('beta', 1));
    given(added('beta', 1), removed('beta', 1)).when(remove('beta')).rejects('CHANNEL_NOT_FOUND');
    given().when(remove('beta')).rejects('CHANNEL_NOT_FOUND');
  });

  it.each(['production', 'staging', 'development'])('is rejected for %s', (name) => {
    given().when(remove(name)).rejects('CHANNEL_REQUIRED');
  });

  it(`forgets the channel that was deleted first, of more than ${MAX_CLOSED}`, () => {
    const many = Array.from({ length: MAX_CLOSED }, (_, index) => [
      added(`c${index}`, index + 1),
      removed(`c${index}`, index + 1),
    ]).flat();
    const { events } = given(...many, added('last', MAX_CLOSED + 1)).when(remove('last'));
    expect(events).toEqual([removed('last', MAX_CLOSED + 1), expect.objectContaining({ type: 'ChannelForgotten' })]);
    expect(given(...many, added('last', MAX_CLOSED + 1), ...events).state.closed.size).toBe(MAX_CLOSED);
  });
});

it('lets devices choose a channel that says so, until it says otherwise', () => {
  const edit = (selfAssign?: boolean): ChannelsCommand => ({ type: 'EditChannel', appId: 7, name: 'beta', selfAssign });
  const edited = (selfAssign: boolean): ChannelsEvent => ({
    ...{ type: 'ChannelEdited', data: { ...of('beta', 1), expiresAt: null, selfAssign } },
  });
  const chosen: ChannelsEvent = { type: 'ChannelAdded', data: { ...of('beta', 1), selfAssign: true } };
  given()
    .when(add('beta', null, 1_000, true))
    .then(chosen);
  given(added('beta', 1)).when(edit(true)).then(edited(true));
  given(chosen).when(edit(false)).then(edited(false));
  for (const same of [edit(true), edit()]) given(chosen).when(same).then();
  const moved: ChannelsEvent = {
    type: 'ChannelEdited',
    data: { ...of('beta', 1), expiresAt: '2027-01-01T00:00:00.000Z' },
  };
  given(chosen, moved).when(edit(true)).then();
  given(chosen, edited(false)).when(edit(false)).then();
});

describe('a channel that was deleted', () => {
  const forget = (number: number): ChannelsCommand => ({ type: 'ForgetChannel', ...of('beta', number) });

  it('is forgotten once, and not if its name is in use again', () => {
    const gone = [added('beta', 1), removed('beta', 1)];
    given(...gone)
      .when(forget(1))
      .then(forgotten('beta', 1));
    given(...gone, forgotten('beta', 1))
      .when(forget(1))
      .then();
    given(...gone, added('beta', 2))
      .when(forget(1))
      .then();
    given(...gone, added('beta', 2), removed('beta', 2))
      .when(forget(1))
      .then();
  });
});

describe('a channel with an expiry', () => {
  // The events have the times 00:00:00, 00:00:01 and so on.
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
  const due: ChannelsEvent = { type: 'ChannelExpiryDue', data: of('pr', 1) };
  const edited = (expiresAt: string | null): ChannelsEvent => ({
    type: 'ChannelEdited',
    data: { ...of('pr', 1), expiresAt },
  });
  const mark = (dues: number): ChannelsCommand => ({ type: 'MarkExpiry', ...of('pr', 1), dues });
  const removeExpired: ChannelsCommand = { type: 'RemoveExpired', ...of('pr', 1) };

  it('is deleted by the time of the event store, not by the clock that says that it is due', () => {
    given(added('pr', 1, at(1)))
      .when(mark(0))
      .then(due);
    given(added('pr', 1, at(1)))
      .when(removeExpired)
      .then();
    given(added('pr', 1, at(1)), due)
      .when(removeExpired)
      .then(removed('pr', 1));
    given(added('pr', 1, at(2)), due)
      .when(removeExpired)
      .then();
    given(added('pr', 1, at(2)), due, due)
      .when(removeExpired)
      .then(removed('pr', 1));
  });

  it('records once that it is due, and again only after a clock that ran ahead', () => {
    given(added('pr', 1, at(1)), due)
      .when(mark(1))
      .then();
    given(added('pr', 1, at(9)), due)
      .when(mark(0))
      .then();
    given(added('pr', 1, at(9)), due)
      .when(mark(1))
      .then(due);
  });

  it('is kept when it was changed meanwhile, or is another one of the name', () => {
    given(added('pr', 1, at(1)), due, edited(at(9)))
      .when(removeExpired)
      .then();
    given(added('pr', 1, at(1)), due, edited(null), due)
      .when(removeExpired)
      .then();
    given(added('pr', 1, at(1)), due, removed('pr', 1), added('pr', 2))
      .when(removeExpired)
      .then();
  });

  it('can be changed, and records nothing where nothing changes', () => {
    const edit = (expiresAt: string | null): ChannelsCommand => ({
      type: 'EditChannel',
      appId: 7,
      name: 'pr',
      expiresAt,
    });
    given(added('pr', 1))
      .when(edit(at(9)))
      .then(edited(at(9)));
    given(added('pr', 1, at(9)))
      .when(edit(at(9)))
      .then();
    const chosen: ChannelsEvent = {
      type: 'ChannelEdited',
      data: { ...of('pr', 1), expiresAt: at(1), selfAssign: true },
    };
    given(added('pr', 1, at(1)), due, chosen)
      .when(removeExpired)
      .then(removed('pr', 1));
    given(added('pr', 1, at(9)))
      .when({ type: 'EditChannel', appId: 7, name: 'pr' })
      .then();
    given()
      .when(edit(at(9)))
      .rejects('CHANNEL_NOT_FOUND');
  });
});

it('of an app that is being removed, all channels go, and none is added any more', () => {
  const close: ChannelsCommand = { type: 'CloseChannels', appId: 7 };
  const closed: ChannelsEvent = { type: 'ChannelsClosed', data: { appId: 7 } };
  given(added('a', 1), added('b', 2), removed('a', 1)).when(close).then(removed('b', 2), closed);
  given().when(close).then(closed);
  given(closed).when(close).then();
  given(closed).when(add('beta')).rejects('APP_NOT_FOUND');
});

it('stops at an event of a newer release', () => {
  const event = { type: 'ChannelPainted', data: {} } as unknown as ChannelsEvent;
  expect(() => given(event).when(add('beta')).events).toThrow(UnknownEventError);
});

it('keeps its events in the stream channels-7, which is that of no channel', () => {
  expect(channelsStream(7)).toBe('channels-7');
});
