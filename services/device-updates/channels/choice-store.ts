import type { ChannelsEvent } from '@sluice/contracts';
import type { StateStore } from '@sluice/document-store';
import type { EventStore, Recorded } from '@sluice/event-store';
import type { Messaging } from '@sluice/messaging';
import { type Channel, type Clock, DomainError, type Logger } from '@sluice/kernel';
import { type RunningProcess, startProcess } from '@sluice/projections';
import { type ChosenChannel, chosenChannels, isInForce } from '../devices/chosen-channels';
import { FollowedRows } from '../devices/followed-rows';
import { deleteInParts } from '../reports/delete-in-parts';
import { ChannelChoices } from '../serving/channel-choices';

export interface ChoiceStoreOptions {
  readonly index: { readonly channelChoices: ChannelChoices };
  readonly events: EventStore;
  /** The state store. */
  readonly state: StateStore;
  readonly messaging: Pick<Messaging, 'listen'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For tests. */
  readonly max?: { readonly ofApp: number; readonly ofAll: number };
}

/** A client with the app's key can choose for as many devices as the limits allow. In memory, a choice takes about 200 bytes. */
const MAX_CHOICES = { ofApp: 100_000, ofAll: 500_000 };
const RETRY_AFTER_S = 3_600;
const DAY_MS = 86_400_000;
const CHOICE_DAYS = 90;

/** Stores which devices have chosen which channels. */
export class ChoiceStore extends FollowedRows<ChosenChannel, ChannelChoices> {
  private sweep: RunningProcess | undefined;

  constructor(private readonly own: ChoiceStoreOptions) {
    const { index, state, messaging, clock, logger } = own;
    super({
      ...{ collection: chosenChannels, held: index.channelChoices, empty: () => new ChannelChoices() },
      ...{ state, messaging, clock, logger },
      fault: 'Channels that devices have chosen could not be read; the ones that are known are used',
    });
  }

  override async open(): Promise<void> {
    await super.open();
    const { events, state, logger } = this.own;
    const process = {
      name: 'chosen-channels',
      prefixes: ['channels-'],
      react: (event: Recorded<ChannelsEvent>, stopping: AbortSignal) => this.deleteObsolete(event, stopping),
    };
    this.sweep = await startProcess({ events, state, logger, process });
  }

  override async close(): Promise<void> {
    await Promise.all([this.sweep?.close(), super.close()]);
  }

  /** What the device has chosen last; undefined: nothing, or its choice is over. */
  async find(appId: number, hashes: readonly string[]): Promise<ChosenChannel | undefined> {
    const found = await this.rows.find({ where: { id: { in: hashes.map((hash) => `${appId}/${hash}`) } } });
    const latest = found.sort((one, other) => other.at - one.at)[0];
    return latest !== undefined && isInForce(latest, this.own.clock.now().getTime()) ? latest : undefined;
  }

  /**
   * Writes nothing if the device chose the channel less than a day ago.
   * @param hashes under which it may be stored, the one that writes first
   * @throws DomainError RATE_LIMITED when as many devices as may have a choice have one
   */
  async choose(appId: number, hashes: readonly string[], channel: Channel): Promise<ChosenChannel> {
    const expiresAt = this.own.clock.now().getTime() + CHOICE_DAYS * DAY_MS;
    const before = await this.find(appId, hashes);
    if (before?.channel === channel && before.expiresAt > expiresAt - DAY_MS) return before;
    const isCounted = this.own.index.channelChoices.latest(appId, hashes) !== undefined;
    if (before === undefined && !isCounted) this.refuseTooMany(appId);
    return this.write(appId, hashes, channel, expiresAt);
  }

  /** The device has chosen nothing from here on. */
  async leave(appId: number, hashes: readonly string[]): Promise<void> {
    const before = await this.find(appId, hashes);
    if (before !== undefined) await this.write(appId, hashes, before.channel, 0);
  }

  /**
   * Under the first hash, and ends what is stored under the others. A row is later than every earlier one of its device,
   * whatever the clocks of other processes show; one that has ended is not deleted, because they have to read it.
   */
  private async write(appId: number, hashes: readonly string[], channel: Channel, expiresAt: number) {
    const now = this.own.clock.now().getTime();
    const known = this.own.index.channelChoices.latest(appId, hashes)?.at ?? 0;
    const put = (device: string, end: number, mayAdd: boolean) => {
      const id = `${appId}/${device}`;
      return this.rows.update(id, (held) => {
        if (held === undefined && !mayAdd) return undefined;
        const at = Math.max(now, known + 1, (held?.at ?? 0) + 1);
        return { id, appId, device, channel, expiresAt: Math.max(end, at), at };
      });
    };
    const [device = '', ...others] = hashes;
    for (const other of others) {
      const ended = await put(other, 0, false);
      if (ended !== undefined) this.add(ended);
    }
    const row = await put(device, expiresAt, true);
    if (row === undefined) throw new Error('The choice was not written.');
    this.add(row);
    return row;
  }

  private refuseTooMany(appId: number): void {
    const { max = MAX_CHOICES, index } = this.own;
    if (index.channelChoices.sizeOf(appId) < max.ofApp && index.channelChoices.size < max.ofAll) return;
    const message = 'As many devices have chosen a channel as may. Try again later.';
    throw new DomainError('RATE_LIMITED', message, { retry_after: RETRY_AFTER_S });
  }

  /** Again when the channel is forgotten: a device may have chosen it in the moment at which it was deleted. */
  private async deleteObsolete(event: Recorded<ChannelsEvent>, stopping: AbortSignal): Promise<void> {
    if (event.type !== 'ChannelRemoved' && event.type !== 'ChannelForgotten') return;
    const { appId, id: channel } = event.data;
    await deleteInParts(this.rows, { appId, channel }, stopping);
    stopping.throwIfAborted();
  }
}
