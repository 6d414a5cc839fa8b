import { Inject, Injectable } from '@nestjs/common';
import { type ReadableRows, ReadStore } from '@sluice/document-store';
import { type CommandContext, COMMANDS, type CommandHandling } from '@sluice/event-store';
import { type Channel, type Clock, stableUuid } from '@sluice/kernel';
import { CLOCK, LOGGER, type Logger, PeriodicTask } from '@sluice/service-host';
import {
  type ChannelRow,
  channelRows,
  channelsProjection,
  type ClosedChannelRow,
  closedChannelRows,
} from './channels.projection';
import { channels, type ChannelsCommand, channelsStream } from './domain/channels';

const LOOK_EVERY_MS = 5_000;
/** Between two attempts to delete a channel: this clock may run ahead. */
const RETRY_MS = 60_000;
const PAGE = 100;
/** For so long devices that name a deleted channel are notified that it is closed. */
export const CLOSED_MS = 30 * 24 * 3_600_000;

/**
 * Deletes the channels whose time is over, and forgets those that were deleted 30 days ago. Any number of replicas may run
 * it: the ids of its commands are made of the channel, and the time of the event store alone decides whether a channel has
 * expired.
 */
@Injectable()
export class ChannelExpiry extends PeriodicTask {
  private readonly open: ReadableRows<ChannelRow>;
  private readonly closed: ReadableRows<ClosedChannelRow>;
  /** On this process's monotonic clock; channels whose time is not over by the event store. */
  private readonly tryAt = new Map<Channel, number>();

  constructor(
    @Inject(COMMANDS) private readonly commands: Pick<CommandHandling, 'handle'>,
    readStore: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({
      everyMs: LOOK_EVERY_MS,
      firstAfterMs: 0,
      run: () => this.look(),
      fault: 'Channels that have expired could not be deleted; it will be tried again',
      logger,
    });
    this.open = readStore.view(channelsProjection.name, channelRows);
    this.closed = readStore.view(channelsProjection.name, closedChannelRows);
  }

  /** @throws UnavailableError */
  async look(): Promise<void> {
    const now = this.clock.now().getTime();
    for (let more = true; more && !this.signal.aborted;) {
      const where = { dueAt: { gt: 0, lte: now } };
      const due = await this.open.find({ where, sort: [['dueAt', 'asc']], limit: PAGE });
      const deleted = await this.each(due, (row) => this.expire(row));
      more = due.length === PAGE && deleted > 0;
    }
    for (let more = true; more && !this.signal.aborted;) {
      const where = { removedAt: { lte: now - CLOSED_MS } };
      const old = await this.closed.find({ where, sort: [['removedAt', 'asc']], limit: PAGE });
      await this.each(old, (row) => this.forget(row));
      more = old.length === PAGE;
    }
  }

  /** Answers for how many rows `act` answered true. */
  private async each<R>(rows: readonly R[], act: (row: R) => Promise<boolean>): Promise<number> {
    let done = 0;
    for (const row of rows) {
      if (this.signal.aborted) return done;
      if (await act(row)) done += 1;
    }
    return done;
  }

  /** Whether the channel is deleted now. */
  private async expire({ appId, name, channel: id, dues }: ChannelRow): Promise<boolean> {
    const now = this.clock.monotonic();
    if ((this.tryAt.get(id) ?? now) > now) return false;
    await this.give({ type: 'MarkExpiry', appId, id, name, dues }, ['due', dues]);
    const { state } = await this.give({ type: 'RemoveExpired', appId, id, name }, ['delete', dues]);
    const isGone = state.open.get(name)?.id !== id;
    if (isGone) this.tryAt.delete(id);
    else this.tryAt.set(id, now + RETRY_MS);
    return isGone;
  }

  private async forget({ appId, name, channel: id }: ClosedChannelRow): Promise<boolean> {
    await this.give({ type: 'ForgetChannel', appId, id, name }, ['forget']);
    return true;
  }

  /** Waits for the readers: a row that is read again shows what was done. */
  private give(command: Extract<ChannelsCommand, { readonly id: Channel }>, step: readonly (string | number)[]) {
    const { appId, id } = command;
    const context: CommandContext = {
      commandId: stableUuid('channel-expiry', appId, id, ...step),
      actor: 'system:channel-expiry',
    };
    return this.commands.handle(channels, channelsStream(appId), command, context);
  }
}
