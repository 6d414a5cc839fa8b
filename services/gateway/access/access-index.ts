import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { RegistryEvent } from '@sluice/contracts';
import { followEvents, type Following } from '@sluice/event-store';
import { REPLICA_POSITIONS, LOGGER, type Logger } from '@sluice/service-host';
import { EVENT_STORE, START, type EventStore, type Position, type RecordedFacts } from '@sluice/event-store';
import type { LiveMember, ReplicaPositions } from '@sluice/messaging';
import { AccessState } from './access-state';

const PREFIXES = ['apps', 'app-', 'token-', 'owner-'];

/**
 * Keeps the access state current. Complete before the process takes its first request; from then
 * on a change counts as soon as its answer has left (ARCHITECTURE, "Answers from memory"). An event
 * that can't be taken later on is tried again, with growing delays, before anything past it; until
 * then requests are decided by what was known.
 */
@Injectable()
export class AccessIndex implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly state = new AccessState();
  /** Applied up to here. */
  private position: Position = START;
  private member?: LiveMember;
  private following?: Following;

  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(REPLICA_POSITIONS) private readonly members: ReplicaPositions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** False while an event can't be applied; requests are then decided by the last known state. */
  get current(): boolean {
    return this.following?.fault === undefined;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.member = this.members.join('gateway', PREFIXES);
    // Changes made from here on wait for this process; those before are in the store already.
    await this.member.announced;
    const { events, logger } = this;
    this.following = followEvents({
      ...{ events, logger, prefixes: PREFIXES, subject: 'The access index' },
      start: () => Promise.resolve(START),
      handle: (batch) => {
        for (const event of batch.events) {
          // The batch comes again after a fault.
          if (event.position <= this.position) continue;
          // Event types of a newer release do not affect this release's decisions.
          this.state.apply(event as unknown as RegistryEvent & RecordedFacts);
          this.position = event.position;
        }
        this.member?.applied(batch.position);
      },
    });
    await this.following.caughtUp;
  }

  async onApplicationShutdown(): Promise<void> {
    this.member?.leave();
    await this.following?.close();
  }
}
