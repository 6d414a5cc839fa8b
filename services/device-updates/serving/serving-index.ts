import { credentialHash, type Channel, type KeyPlatform } from '@sluice/contracts';
import { type Collection, type ReadStore, type Row, rowPages } from '@sluice/document-store';
import { followEvents, type Following } from '@sluice/event-store';
import { channelName, type StandardChannel, isStandardChannel, STANDARD_CHANNELS } from '@sluice/kernel';
import { START, type EventStore, type Position, type Recorded, type RecordedEvent } from '@sluice/event-store';
import type { Logger } from '@sluice/kernel';
import type { LiveMember, ReplicaPositions } from '@sluice/messaging';
import { skippedEvents, skippedRows } from '@sluice/telemetry';
import { ChannelChoices } from './channel-choices';
import { keyChannels, type KeyChannels } from './domain/key-channels';
import { compileRestrictions, type Admits } from './domain/restrictions';
import {
  serving,
  servingApps,
  servingBuilds,
  servingGroups,
  servingChannels,
  servingAudiences,
  servingNames,
  servingRecalls,
  servingRepublished,
  servingKeys,
  servingStoppedOwners,
  servingSigners,
  type ServingApp,
  type ServingEvent,
  type ServingKey,
  type ServingName,
} from './serving.projection';
import { ServedBuilds } from './served-builds';
import { RowsInMemory, type NotUnderstood } from './serving-rows';

export interface ServingIndexOptions {
  readonly events: EventStore;
  /** The read store. */
  readonly documents: ReadStore;
  readonly members: ReplicaPositions;
  readonly logger: Logger;
}

/** A key with its restrictions compiled. */
export interface ServedKey {
  readonly keyId: number;
  readonly appId: number;
  /** Undefined: everybody may use it. */
  readonly admits: Admits | undefined;
  /** The channels that it may be used for; undefined: all. */
  readonly channels: KeyChannels | undefined;
  /** Of the devices that use it, for clients that do not send theirs; undefined: not known. */
  readonly platform: KeyPlatform | undefined;
}

/** What a device calls by a name. */
export type NamedChannel = Pick<ServingName, 'channel' | 'closed'>;

const STANDARD = Object.fromEntries(
  STANDARD_CHANNELS.map((channel) => [channel, { channel, closed: false }]),
) as Readonly<Record<StandardChannel, NamedChannel>>;
const MAX_TOLD_ROWS = 10;
const ROWS_AT_A_TIME = 1_000;

/**
 * The keys, apps and builds in memory that checks and downloads are answered from. It starts from the
 * projection's rows and follows the event store from their checkpoint, by the same rules as the
 * projection. Once loaded it always answers; while the event store is unavailable, from its last state.
 */
export class ServingIndex {
  private readonly rows = new RowsInMemory();
  readonly builds = new ServedBuilds();
  /** Only those of channels that devices may still choose have an effect: see chosenBy. */
  readonly channelChoices = new ChannelChoices();
  private readonly apps = new Map<number, ServingApp>();
  private readonly stoppedOwners = new Set<number>();
  private readonly keysByHash = new Map<string, ServedKey>();
  /** By app and channel, the revision of the event that last changed what its signed statements say. */
  private readonly channelRevisions = new Map<number, Map<Channel, number>>();
  /** Of apps that have added channels: by name, the channel, also of one that was removed. */
  private readonly added = new Map<number, Map<string, ServingName>>();
  private readonly signerRevisions = new Map<number, number>();
  private readonly signingListeners = new Set<(appId: number) => void>();
  /** Spares known keys the hash; holds no more entries than there are keys. */
  private readonly keysByText = new Map<string, ServedKey>();
  private readonly unknownTypes = new Set<string>();
  private member: LiveMember | undefined;
  private following: Following | undefined;
  private loaded = false;
  private closed = false;

  constructor(private readonly options: ServingIndexOptions) {
    for (const { name } of serving.collections) skippedRows.inc({ collection: name }, 0);
    this.rows.add(servingApps, (before, after) => {
      if (before !== undefined) this.apps.delete(before.appId);
      if (after !== undefined) this.apps.set(after.appId, after);
    });
    this.rows.add(servingStoppedOwners, (before, after) => {
      if (before !== undefined) this.stoppedOwners.delete(before.ownerId);
      if (after !== undefined) this.stoppedOwners.add(after.ownerId);
    });
    this.rows.add(servingKeys, (before, after) => {
      this.keysByText.clear();
      if (before !== undefined) this.keysByHash.delete(before.hash);
      if (after !== undefined) this.keysByHash.set(after.hash, serve(after));
    });
    this.rows.add(servingBuilds, (before, after) => this.builds.replace(before, after));
    this.rows.add(servingRecalls, (before, after) => this.builds.recalls.replaceRecall(before, after));
    this.rows.add(servingRepublished, (before, after) => this.builds.recalls.replaceRepublished(before, after));
    this.rows.add(servingAudiences, (before, after) => this.builds.replaceAudience(before, after));
    this.rows.add(servingGroups, (before, after) => this.builds.groups.replace(before, after));
    this.rows.add(servingChannels, (before, after) => {
      const row = after ?? before;
      if (row === undefined) return;
      const { appId, channel } = row;
      const revisions = this.channelRevisions.get(appId) ?? new Map<Channel, number>();
      if (after === undefined) revisions.delete(channel);
      else revisions.set(channel, after.revision);
      if (revisions.size === 0) this.channelRevisions.delete(appId);
      else this.channelRevisions.set(appId, revisions);
      if (this.signerRevisions.has(appId)) this.signingChanged(appId);
    });
    this.rows.add(servingNames, (before, after) => {
      const row = after ?? before;
      if (row === undefined) return;
      const { appId, name } = row;
      const added = this.added.get(appId) ?? new Map<string, ServingName>();
      if (after === undefined) added.delete(name);
      else added.set(name, after);
      if (added.size === 0) this.added.delete(appId);
      else this.added.set(appId, added);
      if (this.signerRevisions.has(appId)) this.signingChanged(appId);
    });
    this.rows.add(servingSigners, (before, after) => {
      if (before !== undefined) this.signerRevisions.delete(before.appId);
      if (after !== undefined) this.signerRevisions.set(after.appId, after.revision);
      const row = after ?? before;
      if (row !== undefined) this.signingChanged(row.appId);
    });
  }

  /** True from the moment at which everything that the store held at the start is known. */
  get ready(): boolean {
    return this.loaded;
  }

  /** The key, given its plaintext; undefined when it is unknown, rotated away, revoked or deleted. */
  key(text: string): ServedKey | undefined {
    const known = this.keysByText.get(text);
    if (known !== undefined) return known;
    const found = this.keysByHash.get(credentialHash(text));
    if (found !== undefined) this.keysByText.set(text, found);
    return found;
  }

  /** Of all apps, in no order. */
  appIds(): Iterable<number> {
    return this.apps.keys();
  }

  app(appId: number): ServingApp | undefined {
    return this.apps.get(appId);
  }

  /** Whether the operator has stopped the devices of the app's owner. */
  isStopped({ ownerId }: ServingApp): boolean {
    return this.stoppedOwners.has(ownerId);
  }

  /** Of the event that last changed which of its builds are active or a manifest; undefined: none ever did. */
  channelRevision(appId: number, channel: Channel): number | undefined {
    return this.channelRevisions.get(appId)?.get(channel);
  }

  /** What the app calls by this name; undefined: nothing, now or recently. */
  channel(appId: number, name: unknown): NamedChannel | undefined {
    if (isStandardChannel(name)) return STANDARD[name];
    return typeof name === 'string' ? this.added.get(appId)?.get(name) : undefined;
  }

  /** As `channel`, also by an alias, which only clients of other servers use. */
  channelByAlias(appId: number, name: string): NamedChannel | undefined {
    const named = this.channel(appId, name);
    if (named !== undefined) return named;
    const aliases = this.apps.get(appId)?.channelAliases ?? {};
    const id = isMember(aliases, name) ? aliases[name] : undefined;
    if (id === undefined) return undefined;
    const meant = this.channel(appId, channelName(id));
    return meant?.channel === id && !meant.closed ? meant : undefined;
  }

  /** The channel of this name, if devices may choose it. */
  choosable(appId: number, name: string): Channel | undefined {
    const named = this.added.get(appId)?.get(name);
    return named?.selfAssign === true && !named.closed ? named.channel : undefined;
  }

  /** Whether a device that chose the channel gets its builds: devices may still choose it, and the key is for it. */
  isServedByChoice(appId: number, channel: Channel, keyChannels: KeyChannels | undefined): boolean {
    return this.choosable(appId, channelName(channel)) === channel && keyChannels?.admits(channel) !== false;
  }

  /** The channel of devices that name none; undefined: the app has none for them. */
  defaultChannel({ appId, defaultChannels }: ServingApp, platform: string | undefined): NamedChannel | undefined {
    if (defaultChannels === undefined) return undefined;
    const { all, ...others } = defaultChannels;
    const named = this.channel(appId, isMember(others, platform) ? others[platform] : all);
    return named?.closed === false ? named : undefined;
  }

  /** Whether the app has added channels, or had recently. */
  hasAddedChannels(appId: number): boolean {
    return this.added.has(appId);
  }

  /** The standard ones, then those that the app has added. */
  channelsOf(appId: number): Channel[] {
    const added = [...(this.added.get(appId)?.values() ?? [])];
    return [...STANDARD_CHANNELS, ...added.flatMap(({ channel, closed }) => (closed ? [] : [channel]))];
  }

  /** The apps that have, or had, a signing key. */
  signers(): Iterable<number> {
    return this.signerRevisions.keys();
  }

  /** The last revision of the stream of the app's signing keys; undefined: it never had one, or is being removed. */
  signerRevision(appId: number): number | undefined {
    return this.signerRevisions.get(appId);
  }

  /** Calls the listener with each app whose signed statements may have to change. Returns how to stop. */
  onSigningChange(listener: (appId: number) => void): () => void {
    this.signingListeners.add(listener);
    return () => void this.signingListeners.delete(listener);
  }

  /** Resolves once it is ready, or was closed before; retries for as long as an engine is unavailable. */
  async open(): Promise<void> {
    const { events, members, logger } = this.options;
    const member = members.join('device-updates', serving.prefixes);
    this.member = member;
    await member.announced;
    if (this.closed) return;
    this.following = followEvents({
      ...{ events, logger, prefixes: serving.prefixes, subject: 'The index of keys and builds' },
      start: async () => {
        const position = await this.loadRows();
        member.applied(position);
        return position;
      },
      handle: async ({ events, position }) => {
        for (const event of events) await this.apply(event);
        member.applied(position);
      },
    });
    await this.following.caughtUp;
    this.loaded = !this.closed;
  }

  /** Commands no longer wait for this process. Its last state can still be read. */
  async close(): Promise<void> {
    this.closed = true;
    this.member?.leave();
    await this.following?.close();
  }

  /** Answers the position up to which every event is in the rows; START when the rows are no use. */
  private async loadRows(): Promise<Position> {
    const { documents, events } = this.options;
    this.rows.clear();
    const target = await documents.liveTarget(serving);
    const checkpoint = await target.checkpoint();
    if (checkpoint === undefined || checkpoint.version !== serving.version) return START;
    if (checkpoint.store !== (await events.identity()) || checkpoint.position > (await events.head())) return START;
    // In pages: all rows twice, as they were read and as they are served, would be the most memory that is ever held.
    for (const name of this.rows.names()) {
      const collection: Collection<Row> = { name, indexes: [] };
      const faults: NotUnderstood[] = [];
      for await (const page of rowPages(target, collection, ROWS_AT_A_TIME)) {
        faults.push(...this.rows.load(collection, page, checkpoint.position));
      }
      if (faults.length > 0) this.passOver(collection, faults);
    }
    if ((await documents.liveTarget(serving)).generation !== target.generation) {
      throw new Error('The rows were rebuilt while they were read.');
    }
    return checkpoint.position;
  }

  /** A row that can't be understood must not keep devices from the rest. */
  private passOver({ name }: Collection<Row>, faults: readonly NotUnderstood[]): void {
    skippedRows.inc({ collection: name }, faults.length);
    const ids = faults.slice(0, MAX_TOLD_ROWS).map(({ id }) => id);
    const told = `${ids.join(', ')}${faults.length > ids.length ? ', …' : ''}`;
    this.options.logger.error(
      { err: faults[0]?.error },
      `Rows of ${name} are passed over, ${faults.length} in all: ${told}`,
    );
  }

  private signingChanged(appId: number): void {
    for (const listener of this.signingListeners) listener(appId);
  }

  /** An event that this release can't understand must not keep devices from the rest. */
  private async apply(event: RecordedEvent): Promise<void> {
    try {
      await serving.apply(event as RecordedEvent & Recorded<ServingEvent>, this.rows.at(event.position));
    } catch (error) {
      skippedEvents.inc({ type: event.type });
      if (this.unknownTypes.has(event.type)) return;
      this.unknownTypes.add(event.type);
      this.options.logger.error(
        { err: error },
        `Events of type "${event.type}" are passed over, first at ${event.position}`,
      );
    }
  }
}

function isMember<Of extends object>(of: Of, name: string | undefined): name is keyof Of & string {
  return name !== undefined && Object.hasOwn(of, name);
}

function serve({ keyId, appId, restrictions, channel, platform }: ServingKey): ServedKey {
  const admits = restrictions === null ? undefined : compileRestrictions(restrictions);
  return { keyId, appId, admits, channels: keyChannels(channel, restrictions?.channels), platform };
}
