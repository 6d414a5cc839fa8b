import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  addChannel,
  type AppChannel,
  type Caller,
  editChannel,
  getChannel,
  listChannels,
  recordChannelPins,
  removeChannel,
  type RequestOf,
} from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { type Channel, isStandardChannel, STANDARD_CHANNELS } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { requireFormat, TARGETING_FORMAT } from '@sluice/service-host';
import { app, appNotFound, appStream } from '../apps/domain/app';
import {
  addedChannel,
  type AddedChannel,
  type Channels,
  channels,
  channelsStream,
  revisionOf,
} from './domain/channels';

@Injectable()
export class ChannelHandlers {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'channelLimit'>,
  ) {}

  @HandlesQuery(listChannels)
  async list({ appId, page, perPage, expires }: RequestOf<typeof listChannels>) {
    const state = await this.load(appId);
    const all = [
      ...STANDARD_CHANNELS.map((name) => standardChannel(name, state)),
      ...[...state.open.values()].map((channel) => toResource(channel, state)),
    ].filter(({ expires_at: end }) => expires === undefined || expires === (end !== null));
    return { items: all.slice((page - 1) * perPage, page * perPage), total: all.length };
  }

  @HandlesQuery(getChannel)
  async get({ appId, name }: RequestOf<typeof getChannel>): Promise<AppChannel> {
    return resourceOf(name, await this.load(appId));
  }

  @HandlesCommand(addChannel)
  async add({ appId, name, ...rules }: RequestOf<typeof addChannel>, caller: Caller): Promise<AppChannel> {
    await requireFormat(this.commands, TARGETING_FORMAT);
    if ((await this.commands.load(app, appStream(appId))).state.removing) throw appNotFound();
    const { channelLimit: limit } = this.settings;
    const { expiresAt = null, selfAssign = false, audience, names } = rules;
    const command = { type: 'AddChannel', appId, name, expiresAt, selfAssign, audience, names, limit } as const;
    const { state } = await this.commands.handle(channels, channelsStream(appId), command, caller);
    return resourceOf(name, state);
  }

  @HandlesCommand(editChannel)
  async edit({ appId, name, ...edits }: RequestOf<typeof editChannel>, caller: Caller): Promise<AppChannel> {
    if ((edits.audience ?? null) !== null || edits.selfAssign === true)
      await requireFormat(this.commands, TARGETING_FORMAT);
    const command = { type: 'EditChannel', appId, name, ...edits } as const;
    const { state } = await this.commands.handle(channels, channelsStream(appId), command, caller);
    return resourceOf(name, state);
  }

  /** Keeps in the history who changed the pins of a channel. Which devices these are is stored with the device API. */
  @HandlesCommand(recordChannelPins)
  async recordPins({ appId, channel: id, ...pins }: RequestOf<typeof recordChannelPins>, caller: Caller) {
    await requireFormat(this.commands, TARGETING_FORMAT);
    const command = { type: 'RecordPins', appId, id, ...pins } as const;
    await this.commands.handle(channels, channelsStream(appId), command, caller);
    return { recorded: true as const };
  }

  @HandlesCommand(removeChannel)
  async remove(channel: RequestOf<typeof removeChannel>, caller: Caller) {
    const command = { type: 'RemoveChannel', ...channel } as const;
    await this.commands.handle(channels, channelsStream(channel.appId), command, caller);
    return { deleted: true as const, name: channel.name };
  }

  private async load(appId: number): Promise<Channels> {
    return (await this.commands.load(channels, channelsStream(appId))).state;
  }
}

/** @throws DomainError CHANNEL_NOT_FOUND */
function resourceOf(name: string, state: Channels): AppChannel {
  return isStandardChannel(name) ? standardChannel(name, state) : toResource(addedChannel(state, name), state);
}

function standardChannel(name: string, state: Channels): AppChannel {
  const rules = { created_at: null, expires_at: null, self_assign: false };
  return { name, id: name, standard: true, ...rules, ...changeable(name, state) };
}

function toResource(
  { name, id, createdAt, expiresAt, selfAssign: self_assign }: AddedChannel,
  state: Channels,
): AppChannel {
  const rules = { created_at: createdAt, expires_at: expiresAt, self_assign };
  return { name, id, standard: false, ...rules, ...changeable(id, state) };
}

const changeable = (id: Channel, state: Channels) => ({
  audience: state.audiences.get(id) ?? null,
  revision: revisionOf(state, id),
});
