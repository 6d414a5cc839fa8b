import {
  type Audience,
  type AudienceNames,
  canonicalJson,
  type Channel,
  DomainError,
  type ExpectsRevision,
  channelName,
  isStandardChannel,
  requireAudience,
  requireRevision,
  SortedMap,
  STANDARD_CHANNELS,
  unknownEvent,
  type Decider,
} from '@sluice/kernel';

interface OfChannel {
  readonly appId: number;
  readonly id: Channel;
  readonly name: string;
}

export interface AddedChannel {
  readonly id: Channel;
  readonly name: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601; null: it stays until it is deleted. */
  readonly expiresAt: string | null;
  /** Devices may choose it themselves. */
  readonly selfAssign: boolean;
  /** How often its expiry was recorded, by clocks that may run ahead. */
  readonly dues: number;
  /** Recorded at a time, by the event store, that is not before its expiry. */
  readonly expired: boolean;
}

/** Of a channel, also of a standard one. Left out: all devices. */
interface ForDevices {
  readonly audience?: Audience | null | undefined;
  /** What the audience may name. */
  readonly names?: AudienceNames | undefined;
}

/** How many devices were pinned and unpinned, and how many are left until when. Null: none is. */
interface PinChange {
  readonly added: number;
  readonly removed: number;
  readonly devices: number;
  readonly until: string | null;
}

export interface Channels {
  /** By name. */
  readonly open: SortedMap<string, AddedChannel>;
  /** By name, those of which devices are notified that they are closed. */
  readonly closed: SortedMap<string, { readonly id: Channel; readonly name: string; readonly removedAt: string }>;
  /** By channel, also of the standard ones; of a channel without one, all devices. */
  readonly audiences: SortedMap<Channel, Audience>;
  /**
   * By channel: the number of the last change that concerned it, so that no later channel of its name has the same one.
   * A standard channel without one has the revision 1.
   */
  readonly revisions: SortedMap<Channel, number>;
  readonly lastRevision: number;
  /** How many the app has ever added. */
  readonly count: number;
  /** The app is being removed. */
  readonly appIsGone: boolean;
}

export type ChannelsCommand =
  | ({
      readonly type: 'AddChannel';
      readonly appId: number;
      readonly name: string;
      readonly expiresAt: string | null;
      readonly selfAssign: boolean;
      readonly limit: number;
    } & ForDevices)
  | ({
      readonly type: 'EditChannel';
      readonly appId: number;
      readonly name: string;
      readonly expiresAt?: string | null | undefined;
      readonly selfAssign?: boolean | undefined;
    } & ForDevices &
      ExpectsRevision)
  /** For the history. */
  | ({ readonly type: 'RecordPins'; readonly appId: number; readonly id: Channel } & PinChange)
  | ({ readonly type: 'RemoveChannel'; readonly appId: number; readonly name: string } & ExpectsRevision)
  /** For `dues` see AddedChannel. */
  | ({ readonly type: 'MarkExpiry'; readonly dues: number } & OfChannel)
  | ({ readonly type: 'RemoveExpired' } & OfChannel)
  | ({ readonly type: 'ForgetChannel' } & OfChannel)
  | { readonly type: 'CloseChannels'; readonly appId: number };

export type ChannelsEvent =
  /** `expiresAt`, ISO 8601: left out, the channel stays until it is deleted. `selfAssign`: left out, no. */
  | {
      readonly type: 'ChannelAdded';
      readonly data: OfChannel & { readonly expiresAt?: string; readonly selfAssign?: boolean };
    }
  /** `selfAssign`: left out, as before. */
  | {
      readonly type: 'ChannelEdited';
      readonly data: OfChannel & { readonly expiresAt: string | null; readonly selfAssign?: boolean };
    }
  /** Null: its builds are for all devices again. */
  | { readonly type: 'ChannelAudienceSet'; readonly data: OfChannel & { readonly audience: Audience | null } }
  /** Devices were pinned in it, or no longer are. */
  | { readonly type: 'ChannelPinsChanged'; readonly data: OfChannel & PinChange }
  /** By the clock of its writer; the time of the event store decides. */
  | { readonly type: 'ChannelExpiryDue'; readonly data: OfChannel }
  /** Nothing more goes in, and its builds go. */
  | { readonly type: 'ChannelRemoved'; readonly data: OfChannel }
  /** Devices that name it are no longer notified that it is closed. */
  | { readonly type: 'ChannelForgotten'; readonly data: OfChannel }
  /** The app is being removed: it will have no channels any more. */
  | { readonly type: 'ChannelsClosed'; readonly data: { readonly appId: number } };

/** Of so many removed channels devices are notified that they are closed, those that were removed last. */
export const MAX_CLOSED = 1_000;

/** Stream `channels-{appId}`: the channels that an app has in addition to the standard ones. */
export const channelsStream = (appId: number) => `channels-${appId}`;

export const channels: Decider<Channels, ChannelsCommand, ChannelsEvent> = {
  initialState: () => ({
    ...{ open: new SortedMap(), closed: new SortedMap(), audiences: new SortedMap(), revisions: new SortedMap() },
    ...{ lastRevision: 1, count: 0, appIsGone: false },
  }),

  decide: (command, state) => {
    const { appId } = command;
    switch (command.type) {
      case 'AddChannel': {
        if (state.appIsGone) throw new DomainError('APP_NOT_FOUND', 'There is no such app.');
        const { name, expiresAt, selfAssign, limit } = command;
        if (isStandardChannel(name) || state.open.get(name) !== undefined) {
          throw new DomainError('CHANNEL_EXISTS', `The app has a channel ${name} already.`);
        }
        if (state.open.size >= limit) {
          throw new DomainError(
            'CHANNEL_LIMIT_REACHED',
            `The app has added ${limit} channels already, as many as CHANNEL_LIMIT allows. Delete one of them first.`,
            { limit },
          );
        }
        const id = `${name}.${state.count + 1}`;
        const rules = { ...(expiresAt !== null && { expiresAt }), ...(selfAssign && { selfAssign }) };
        return [
          { type: 'ChannelAdded', data: { appId, id, name, ...rules } },
          ...audienceSet(command, { appId, id, name }, state),
        ];
      }
      case 'EditChannel': {
        if (state.appIsGone) throw channelNotFound();
        const isOfAudience = command.expiresAt === undefined && command.selfAssign === undefined;
        if (isStandardChannel(command.name) && command.audience !== undefined && isOfAudience) {
          requireUnchanged(state, command.name, command);
          return audienceSet(command, { appId, id: command.name, name: command.name }, state);
        }
        const { id, name, ...before } = addedChannel(state, command.name);
        requireUnchanged(state, id, command);
        const { expiresAt = before.expiresAt, selfAssign = before.selfAssign } = command;
        const chosen = selfAssign === before.selfAssign ? {} : { selfAssign };
        const isSame = expiresAt === before.expiresAt && selfAssign === before.selfAssign;
        return [
          ...(isSame ? [] : [{ type: 'ChannelEdited' as const, data: { appId, id, name, expiresAt, ...chosen } }]),
          ...audienceSet(command, { appId, id, name }, state),
        ];
      }
      case 'RecordPins': {
        const { id, added, removed, devices, until } = command;
        const name = channelName(id);
        if (state.appIsGone || (!isStandardChannel(id) && state.open.get(name)?.id !== id)) throw channelNotFound();
        return [{ type: 'ChannelPinsChanged', data: { appId, id, name, added, removed, devices, until } }];
      }
      case 'RemoveChannel': {
        const channel = addedChannel(state, command.name);
        requireUnchanged(state, channel.id, command);
        return removal(channel, appId, state);
      }
      case 'MarkExpiry': {
        const channel = state.open.get(command.name);
        const { id, name, dues } = command;
        if (channel?.id !== id || channel.dues !== dues || channel.expired) return [];
        return [{ type: 'ChannelExpiryDue', data: { appId, id, name } }];
      }
      case 'RemoveExpired': {
        const channel = state.open.get(command.name);
        return channel?.id === command.id && channel.expired ? removal(channel, appId, state) : [];
      }
      case 'ForgetChannel': {
        const { id, name } = command;
        return state.closed.get(name)?.id === id ? [{ type: 'ChannelForgotten', data: { appId, id, name } }] : [];
      }
      case 'CloseChannels': {
        if (state.appIsGone) return [];
        const removed = [...state.open.values()].map(({ id, name }): ChannelsEvent => ({
          ...{ type: 'ChannelRemoved', data: { appId, id, name } },
        }));
        return [...removed, { type: 'ChannelsClosed', data: { appId } }];
      }
    }
  },

  evolve: (state, event, at, recordedAt) => {
    switch (event.type) {
      case 'ChannelAdded': {
        const { id, name, expiresAt = null, selfAssign = false } = event.data;
        const channel = { id, name, createdAt: at, expiresAt, selfAssign, dues: 0, expired: false };
        return {
          ...revised(state, event.data),
          open: state.open.set(name, channel),
          closed: state.closed.delete(name),
          count: state.count + 1,
        };
      }
      case 'ChannelEdited':
        return change(revised(state, event.data), event.data, ({ expiresAt: before, expired, selfAssign: held }) => {
          const { expiresAt, selfAssign = held } = event.data;
          return { expiresAt, selfAssign, expired: expiresAt === before && expired };
        });
      case 'ChannelAudienceSet': {
        const { id, audience } = event.data;
        const { audiences } = state;
        return {
          ...revised(state, event.data),
          audiences: audience === null ? audiences.delete(id) : audiences.set(id, audience),
        };
      }
      case 'ChannelPinsChanged':
        return state;
      case 'ChannelExpiryDue':
        return change(state, event.data, ({ dues, expiresAt }) => ({
          dues: dues + 1,
          expired: expiresAt !== null && Date.parse(recordedAt) >= Date.parse(expiresAt),
        }));
      case 'ChannelRemoved': {
        const { id, name } = event.data;
        return {
          ...state,
          open: state.open.delete(name),
          closed: state.closed.set(name, { id, name, removedAt: at }),
          audiences: state.audiences.delete(id),
          revisions: state.revisions.delete(id),
        };
      }
      case 'ChannelForgotten':
        return { ...state, closed: state.closed.delete(event.data.name) };
      case 'ChannelsClosed':
        return {
          ...{ ...state, open: new SortedMap(), closed: new SortedMap(), audiences: new SortedMap() },
          ...{ revisions: new SortedMap(), appIsGone: true },
        };
      default:
        return unknownEvent(event);
    }
  },
};

/** @throws DomainError CHANNEL_NOT_FOUND; CHANNEL_REQUIRED for a standard one */
export function addedChannel(state: Channels, name: string): AddedChannel {
  if (isStandardChannel(name)) {
    throw new DomainError(
      'CHANNEL_REQUIRED',
      `Every app has the channels ${STANDARD_CHANNELS.join(', ')}: they can not be changed or deleted.`,
    );
  }
  const channel = state.open.get(name);
  if (channel === undefined) throw channelNotFound();
  return channel;
}

/** The name that was sent is not repeated: it may be a credential in the wrong place. */
export function channelNotFound(): DomainError {
  return new DomainError('CHANNEL_NOT_FOUND', 'The app has no channel of this name. List its channels first.');
}

export function revisionOf({ revisions }: Channels, id: Channel): number {
  return revisions.get(id) ?? 1;
}

function revised(state: Channels, { id }: OfChannel): Channels {
  const lastRevision = state.lastRevision + 1;
  return { ...state, revisions: state.revisions.set(id, lastRevision), lastRevision };
}

/** @throws DomainError CHANNEL_CHANGED when it has another revision than the command expects */
function requireUnchanged(state: Channels, id: Channel, command: ExpectsRevision): void {
  requireRevision('CHANNEL_CHANGED', `The channel ${channelName(id)}`, revisionOf(state, id), command);
}

/** @throws ValidationError */
function audienceSet({ audience, names }: ForDevices, channel: OfChannel, { audiences }: Channels): ChannelsEvent[] {
  const before = audiences.get(channel.id) ?? null;
  if (audience === undefined || canonicalJson(audience) === canonicalJson(before)) return [];
  requireAudience(audience, names);
  return [{ type: 'ChannelAudienceSet', data: { ...channel, audience } }];
}

function removal({ id, name }: AddedChannel, appId: number, { closed }: Channels): ChannelsEvent[] {
  const oldest =
    closed.size < MAX_CLOSED
      ? undefined
      : [...closed.values()].reduce((one, other) => (other.removedAt < one.removedAt ? other : one));
  return [
    { type: 'ChannelRemoved', data: { appId, id, name } },
    ...(oldest === undefined
      ? []
      : [{ type: 'ChannelForgotten' as const, data: { appId, id: oldest.id, name: oldest.name } }]),
  ];
}

function change(
  state: Channels,
  { id, name }: OfChannel,
  changes: (channel: AddedChannel) => Partial<AddedChannel>,
): Channels {
  const channel = state.open.get(name);
  return channel?.id === id ? { ...state, open: state.open.set(name, { ...channel, ...changes(channel) }) } : state;
}
