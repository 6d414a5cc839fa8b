import { UnknownEventError } from '@sluice/kernel';
import { specify } from '@sluice/testing';
import { groups, groupsStream, type GroupCommand, type GroupEvent } from './groups';

const { given } = specify(groups);

const replace = (name: string, size: number, more: { objectKey?: string; replaces?: string } = {}) =>
  ({ type: 'ReplaceGroup', appId: 7, name, objectKey: `new-${name}`, size, keyVersion: 1, ...more }) as const;
const replaced = (name: string, size: number, revision = 1, objectKey = `groups/${name}-${revision}`): GroupEvent => ({
  type: 'GroupReplaced',
  data: { appId: 7, name, revision, objectKey, size, keyVersion: 1 },
});
const deleted = (name: string): GroupEvent => ({ type: 'GroupDeleted', data: { appId: 7, name } });
const deletion = (name: string) => ({ type: 'DeleteGroup', appId: 7, name }) as const;
const closed: GroupEvent = { type: 'GroupsClosed', data: { appId: 7 } };

describe('expecting a revision of a group', () => {
  it('takes a change for the revision that the group has, and rejects another one with it', () => {
    const twice = given(replaced('beta', 10), replaced('beta', 9, 2));
    for (const command of [replace('beta', 20), deletion('beta')]) {
      expect(twice.when({ ...command, ifRevision: 2 }).events).toHaveLength(1);
      twice.when({ ...command, ifRevision: 1 }).rejects({ code: 'GROUP_CHANGED', details: { revision: 2 } });
    }
  });

  it('does not make a group that was deleted', () =>
    given(replaced('beta', 10), deleted('beta'))
      .when({ ...replace('beta', 20), ifRevision: 1 })
      .rejects('GROUP_NOT_FOUND'));
});

describe('replacing a group', () => {
  it('makes it, and then the next revision of it', () => {
    given()
      .when(replace('beta', 10))
      .then(replaced('beta', 10, 1, 'new-beta'));
    given(replaced('beta', 10))
      .when(replace('beta', 20))
      .then(replaced('beta', 20, 2, 'new-beta'));
  });

  it('never gives a name the same revision again', () =>
    given(replaced('beta', 10), deleted('beta'))
      .when(replace('beta', 20))
      .then(replaced('beta', 20, 2, 'new-beta')));

  it('changes nothing in place of an object that the group no longer has', () => {
    const before = [replaced('beta', 10), replaced('beta', 9, 2)];
    given(...before)
      .when(replace('beta', 9, { replaces: 'groups/beta-1' }))
      .then();
    given(...before)
      .when(replace('beta', 8, { replaces: 'groups/beta-2' }))
      .then(replaced('beta', 8, 3, 'new-beta'));
    given(replaced('beta', 10), deleted('beta'))
      .when(replace('beta', 9, { replaces: 'groups/beta-1' }))
      .then();
  });

  it('rejects more than 5,000,000 devices in all groups of an app', () => {
    const many = Array.from({ length: 4 }, (_, n) => replaced(`group-${n}`, 1_000_000));
    given(...many)
      .when(replace('last', 1_000_000))
      .then(replaced('last', 1_000_000, 1, 'new-last'));
    given(...many, replaced('some', 1))
      .when(replace('last', 1_000_000))
      .rejects({ code: 'GROUP_LIMIT_REACHED', details: { max_memberships: 5_000_000, memberships: 5_000_001 } });
    given(...many, replaced('last', 1_000_000))
      .when(replace('last', 999_999))
      .then(replaced('last', 999_999, 2, 'new-last'));
  });

  it('rejects a 101st group, and replaces one of 100', () => {
    const hundred = Array.from({ length: 100 }, (_, n) => replaced(`group-${n}`, 1));
    given(...hundred)
      .when(replace('more', 1))
      .rejects({ code: 'GROUP_LIMIT_REACHED', details: { max_groups: 100 } });
    given(...hundred)
      .when(replace('group-1', 2))
      .then(replaced('group-1', 2, 2, 'new-group-1'));
  });
});

describe('deleting a group', () => {
  it('deletes it once', () => {
    given(replaced('beta', 1)).when(deletion('beta')).then(deleted('beta'));
    given(replaced('beta', 1), deleted('beta')).when(deletion('beta')).rejects('GROUP_NOT_FOUND');
    given().when(deletion('beta')).rejects('GROUP_NOT_FOUND');
  });
});

describe('the removal of the app', () => {
  const close: GroupCommand = { type: 'CloseGroups', appId: 7 };

  it('ends all groups, also where there is none, once', () => {
    given().when(close).then(closed);
    given(replaced('beta', 1)).when(close).then(closed);
    given(closed).when(close).then();
    expect([...given(replaced('beta', 1), closed).state.groups.values()]).toEqual([]);
  });

  it.each([
    ['a new group', replace('beta', 1)],
    ['an erasure', replace('beta', 1, { replaces: 'groups/beta-1' })],
    ['a deletion', deletion('beta')],
  ])('rejects %s from then on', (_, command) => {
    given(replaced('beta', 1), closed).when(command).rejects('APP_NOT_FOUND');
  });
});

it('stops at an event of a newer release', () => {
  expect(() => given({ type: 'GroupPainted', data: {} } as unknown as GroupEvent).when(deletion('a')).events).toThrow(
    UnknownEventError,
  );
});

it('keeps its events in the stream groups-7', () => {
  expect(groupsStream(7)).toBe('groups-7');
});
