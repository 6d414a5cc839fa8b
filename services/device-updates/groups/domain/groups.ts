import {
  DomainError,
  type ExpectsRevision,
  requireRevision,
  SortedMap,
  unknownEvent,
  type Decider,
} from '@sluice/kernel';

/** A named group of devices: a packed object holds them. */
export interface DeviceGroup {
  readonly name: string;
  readonly objectKey: string;
  /** Devices. */
  readonly size: number;
  /** 1 for the first object of that name, and 1 more with each that replaces it. */
  readonly revision: number;
  /** The version of the data key under which the devices are hashed. */
  readonly keyVersion: number;
}

export type GroupCommand =
  | ({
      readonly type: 'ReplaceGroup';
      readonly appId: number;
      readonly name: string;
      readonly objectKey: string;
      readonly size: number;
      readonly keyVersion: number;
      /** Nothing changes if the group has another object by now; left out: whatever it has. */
      readonly replaces?: string;
    } & ExpectsRevision)
  | ({ readonly type: 'DeleteGroup'; readonly appId: number; readonly name: string } & ExpectsRevision)
  | { readonly type: 'CloseGroups'; readonly appId: number };

export type GroupEvent =
  | { readonly type: 'GroupReplaced'; readonly data: DeviceGroup & { readonly appId: number } }
  | { readonly type: 'GroupDeleted'; readonly data: { readonly appId: number; readonly name: string } }
  /** The app is being removed: all of its groups are gone, and there will be none. */
  | { readonly type: 'GroupsClosed'; readonly data: { readonly appId: number } };

export interface GroupsState {
  readonly groups: SortedMap<string, DeviceGroup>;
  /** By name, also of deleted groups: a name never has the same revision twice. */
  readonly revisions: SortedMap<string, number>;
  readonly closed: boolean;
}

export const MAX_GROUPS = 100;
/** Of all groups of an app together; a device counts in each of its groups. */
export const MAX_MEMBERSHIPS = 5_000_000;

/** Stream `groups-{appId}`: the device groups of one app. */
export const groupsStream = (appId: number): string => `groups-${appId}`;

export const groups: Decider<GroupsState, GroupCommand, GroupEvent> = {
  initialState: () => ({ groups: new SortedMap(), revisions: new SortedMap(), closed: false }),

  decide: (command, state) => {
    const { appId } = command;
    if (state.closed) {
      if (command.type === 'CloseGroups') return [];
      throw new DomainError('APP_NOT_FOUND', 'There is no such app.');
    }
    switch (command.type) {
      case 'ReplaceGroup': {
        const { name, objectKey, size, keyVersion, replaces } = command;
        const before = state.groups.get(name);
        if (replaces !== undefined && before?.objectKey !== replaces) return [];
        if (command.ifRevision !== undefined) requireGroup(state, command);
        if (replaces === undefined) refuseTooMany(command, state);
        const revision = (state.revisions.get(name) ?? 0) + 1;
        return [{ type: 'GroupReplaced', data: { appId, name, revision, objectKey, size, keyVersion } }];
      }
      case 'DeleteGroup':
        requireGroup(state, command);
        return [{ type: 'GroupDeleted', data: { appId, name: command.name } }];
      case 'CloseGroups':
        return [{ type: 'GroupsClosed', data: { appId } }];
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'GroupReplaced': {
        const { name, objectKey, size, revision, keyVersion } = event.data;
        return {
          ...state,
          groups: state.groups.set(name, { name, objectKey, size, revision, keyVersion }),
          revisions: state.revisions.set(name, revision),
        };
      }
      case 'GroupDeleted':
        return { ...state, groups: state.groups.delete(event.data.name) };
      case 'GroupsClosed':
        return { ...state, groups: new SortedMap(), closed: true };
      default:
        return unknownEvent(event);
    }
  },
};

/** @throws DomainError GROUP_NOT_FOUND; GROUP_CHANGED when it has another revision than the command expects */
function requireGroup({ groups }: GroupsState, command: { readonly name: string } & ExpectsRevision): void {
  const group = groups.get(command.name);
  if (group === undefined) throw groupNotFound(command.name);
  requireRevision('GROUP_CHANGED', `The device group ${group.name}`, group.revision, command);
}

export function groupNotFound(name: string): DomainError {
  return new DomainError('GROUP_NOT_FOUND', `There is no device group "${name}".`);
}

/** @throws DomainError GROUP_LIMIT_REACHED */
function refuseTooMany(
  { name, size }: { readonly name: string; readonly size: number },
  { groups }: GroupsState,
): void {
  const others = [...groups.values()].filter((group) => group.name !== name);
  if (others.length >= MAX_GROUPS) {
    throw new DomainError(
      'GROUP_LIMIT_REACHED',
      `An app may have at most ${MAX_GROUPS} device groups. Delete one first.`,
      { max_groups: MAX_GROUPS },
    );
  }
  const memberships = others.reduce((sum, group) => sum + group.size, size);
  if (memberships <= MAX_MEMBERSHIPS) return;
  throw new DomainError(
    'GROUP_LIMIT_REACHED',
    `The groups of an app may have at most ${MAX_MEMBERSHIPS} devices together. With this group they would have ${memberships}.`,
    { max_memberships: MAX_MEMBERSHIPS, memberships },
  );
}
