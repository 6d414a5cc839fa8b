import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import { announcedChanges, type AnnouncingService, type Change, OPERATOR_ID, projectionCalls } from '@sluice/contracts';
import { followEvents, type Following, pause } from '@sluice/event-store';
import { REPLICA_POSITIONS, LOGGER, type Logger } from '@sluice/service-host';
import { EVENT_STORE, START, type EventStore, type Position } from '@sluice/event-store';
import { newCommandId } from '@sluice/kernel';
import { MESSAGING, type ReplicaPositions, type Messaging } from '@sluice/messaging';
import { LRUCache } from 'lru-cache';
import { AccessIndex } from '../access/access-index';
import { changeOf, type RoutedChange } from './change-routing';

/** Told of a change; `owners`: whose it is to know, or everybody's. */
export type ChangeListener = (change: Change, owners: readonly number[]) => void;

/** Changes within this time are sent as one, by topic and app. */
const GATHER_MS = 100;
/** In addition to READ_YOUR_WRITES_MS, how long a service has to reply. */
const ANSWER_MS = 1_000;
const CACHED_STREAMS = 1_000;

const SERVICES = Object.keys(announcedChanges) as AnnouncingService[];

/** As prefixes of their names, which projections know them by. */
const streamsOf = (service: AnnouncingService): string[] => Object.keys(announcedChanges[service]);

/** What one service has still to show. */
interface Lane {
  readonly changes: Map<string, RoutedChange>;
  position: Position;
  telling: boolean;
}

/**
 * Sends changes to listeners, from the events that arrive while there are any. A change is sent once
 * the service that shows it has applied it, as the reply to a command waits for the same. A service
 * that does not get that far in time delays no change of another.
 */
@Injectable()
export class Changes implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly closing = new AbortController();
  private readonly listeners = new Set<ChangeListener>();
  private readonly lanes = new Map<AnnouncingService, Lane>();
  private readonly appsOfStreams = new LRUCache<string, number>({ max: CACHED_STREAMS });
  /** Handled up to here. */
  private position: Position = START;
  private following?: Following;

  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(REPLICA_POSITIONS) private readonly members: ReplicaPositions,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly access: AccessIndex,
  ) {}

  /** Waits for an event store that is unavailable, so that a listener misses nothing. */
  async onApplicationBootstrap(): Promise<void> {
    const { events, logger } = this;
    this.following = followEvents({
      ...{ events, logger, prefixes: SERVICES.flatMap(streamsOf), subject: 'The feed of changes' },
      start: async () => (this.position = await events.head()),
      handle: async ({ events, position }) => {
        for (const event of this.listeners.size > 0 ? events : []) {
          const change = changeOf(event);
          if (change === undefined) continue;
          const app = change.appInFirstEvent ? await this.appOf(event.stream) : change.app;
          this.gather({ ...change, app }, event.position);
        }
        this.position = position;
      },
    });
    await this.following.started;
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    await this.following?.close();
  }

  /** Answers how to stop listening. */
  listen(listener: ChangeListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Resolves once everything that happened before it shows wherever it is asked for, or should by now. */
  async settled(): Promise<void> {
    const { position } = this;
    await Promise.all(SERVICES.map((service) => this.applied(service, position)));
  }

  private gather(change: RoutedChange, position: Position): void {
    const { topic, app, id, owningService } = change;
    const lane = this.lanes.get(owningService) ?? {
      changes: new Map<string, RoutedChange>(),
      position,
      telling: false,
    };
    this.lanes.set(owningService, lane);
    lane.position = position;
    lane.changes.set(`${topic}/${app}/${id}`, change);
    if (lane.telling) return;
    lane.telling = true;
    void this.tellAll(owningService, lane);
  }

  private async tellAll(service: AnnouncingService, lane: Lane): Promise<void> {
    const { signal } = this.closing;
    while (lane.changes.size > 0) {
      await pause(GATHER_MS, signal);
      if (signal.aborted) return;
      const changes = [...lane.changes.values()];
      lane.changes.clear();
      await this.applied(service, lane.position);
      this.publish(changes);
    }
    lane.telling = false;
  }

  private async applied(service: AnnouncingService, position: Position): Promise<void> {
    const { messaging, members, settings } = this;
    const streams = streamsOf(service);
    const caller = { actor: 'system:gateway', commandId: newCommandId() };
    const options = { timeoutMs: settings.readYourWritesMs + ANSWER_MS };
    const shown = messaging.request(projectionCalls(service).applied, { streams, position }, caller, options);
    // A client that then requests an unavailable service gets an error, and retries.
    const asked = shown.catch(() => undefined);
    // This process's own index of owners and apps is needed whichever service has the rows.
    const known = [...new Set([...streams, ...streamsOf('registry')])].map((stream) =>
      members.applied(stream, position),
    );
    await Promise.all([asked, ...known]);
  }

  private publish(all: readonly RoutedChange[]): void {
    const told = new Map<string, { change: Change; owners: readonly number[] }>();
    for (const { topic, app, id } of all) {
      const owners = this.ownersOf(topic, app, id);
      const key = `${topic}/${app}/${String(owners)}`;
      const before = told.get(key)?.change;
      const one = id !== undefined && (before === undefined || before.id === id);
      told.set(key, { change: { topic, app, ...(one && { id }) }, owners });
    }
    for (const { change, owners } of told.values()) for (const listener of this.listeners) listener(change, owners);
  }

  private ownersOf(topic: Change['topic'], app: number | null, id: Change['id']): readonly number[] {
    const { state } = this.access;
    if (topic === 'listings') return [OPERATOR_ID];
    if (topic === 'owner') return [...new Set([Number(id), OPERATOR_ID])];
    const owner =
      topic === 'tokens' ? state.ownerOfToken(Number(id)) : app === null ? undefined : state.ownerOfApp(app);
    return owner === undefined ? [] : [owner];
  }

  /** The first event of the stream names it. */
  private async appOf(stream: string): Promise<number | null> {
    const known = this.appsOfStreams.get(stream);
    if (known !== undefined) return known;
    for await (const { data } of this.events.readStream(stream, { limit: 1 })) {
      const app = (data as { readonly appId?: unknown }).appId;
      if (typeof app !== 'number') break;
      this.appsOfStreams.set(stream, app);
      return app;
    }
    return null;
  }
}
