import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  addChannel,
  type AppChannel,
  type Caller,
  editChannel,
  getChannel,
  listChannels,
  removeChannel,
  type RequestOf,
} from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { isStandardChannel, STANDARD_CHANNELS } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { requireFormat, TARGETING_FORMAT } from '@sluice/service-host';
import { app, appNotFound, appStream } from '../apps/domain/app';
import { addedChannel, type AddedChannel, type Channels, channels, channelsStream } from './domain/channels';

@Injectable()
export class ChannelHandlers {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'channelLimit'>,
  ) {}

  @HandlesQuery(listChannels)
  async list({ appId, page, perPage }: RequestOf<typeof listChannels>) {
    const added = [...(await this.load(appId)).open.values()];
    const all = [...STANDARD_CHANNELS.map(standardChannel), ...added.map(toResource)];
    return { items: all.slice((page - 1) * perPage, page * perPage), total: all.length };
  }

  @HandlesQuery(getChannel)
  async get({ appId, name }: RequestOf<typeof getChannel>): Promise<AppChannel> {
    if (isStandardChannel(name)) return standardChannel(name);
    return toResource(addedChannel(await this.load(appId), name));
  }

  @HandlesCommand(addChannel)
  async add({ appId, name, expiresAt }: RequestOf<typeof addChannel>, caller: Caller): Promise<AppChannel> {
    await requireFormat(this.commands, TARGETING_FORMAT);
    if ((await this.commands.load(app, appStream(appId))).state.removing) throw appNotFound();
    const { channelLimit: limit } = this.settings;
    const command = { type: 'AddChannel', appId, name, expiresAt: expiresAt ?? null, limit } as const;
    const { state } = await this.commands.handle(channels, channelsStream(appId), command, caller);
    return toResource(addedChannel(state, name));
  }

  @HandlesCommand(editChannel)
  async edit({ appId, name, expiresAt }: RequestOf<typeof editChannel>, caller: Caller): Promise<AppChannel> {
    const command = { type: 'EditChannel', appId, name, expiresAt } as const;
    const { state } = await this.commands.handle(channels, channelsStream(appId), command, caller);
    return toResource(addedChannel(state, name));
  }

  @HandlesCommand(removeChannel)
  async remove({ appId, name }: RequestOf<typeof removeChannel>, caller: Caller) {
    await this.commands.handle(channels, channelsStream(appId), { type: 'RemoveChannel', appId, name }, caller);
    return { deleted: true as const, name };
  }

  private async load(appId: number): Promise<Channels> {
    return (await this.commands.load(channels, channelsStream(appId))).state;
  }
}

function standardChannel(name: string): AppChannel {
  return { name, id: name, standard: true, created_at: null, expires_at: null };
}

function toResource({ name, id, createdAt, expiresAt }: AddedChannel): AppChannel {
  return { name, id, standard: false, created_at: createdAt, expires_at: expiresAt };
}
