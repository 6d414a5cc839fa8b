import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { RegistryEvent } from '@sluice/contracts';
import { Setbacks } from '@sluice/document-store';
import { LIVE_MEMBERS, REPORT, type Report } from '@sluice/engines';
import {
  EVENT_STORE,
  START,
  type EventStore,
  type Position,
  type RecordedFacts,
  type Subscription,
} from '@sluice/event-store';
import type { LiveMember, LiveMembers } from '@sluice/messaging';
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
  private readonly closing = new AbortController();
  private readonly setbacks: Setbacks;
  /** Applied up to here. */
  private position: Position = START;
  private member?: LiveMember;
  private subscription?: Subscription;
  private following = Promise.resolve();

  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(LIVE_MEMBERS) private readonly members: LiveMembers,
    @Inject(REPORT) report: Report,
  ) {
    this.setbacks = new Setbacks('The access index', report, this.closing.signal);
  }

  /** False while events are held up and requests are decided by what was known before them. */
  get current(): boolean {
    return this.setbacks.fault === undefined;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.member = this.members.join('gateway', PREFIXES);
    // Changes made from here on wait for this process; those before are in the store already.
    await this.member.announced;
    const subscription = this.subscribe();
    this.following = this.follow(subscription);
    await Promise.race([subscription.caughtUp, subscription.stopped]);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    this.member?.leave();
    await this.subscription?.close();
    await this.following;
  }

  private async follow(subscription: Subscription): Promise<void> {
    for (let live = subscription; ; live = this.subscribe()) {
      try {
        await live.stopped;
        return;
      } catch (error) {
        await this.setbacks.met(error);
      }
      if (this.closing.signal.aborted) return;
    }
  }

  private subscribe(): Subscription {
    return (this.subscription = this.events.subscribe({
      after: this.position,
      prefixes: PREFIXES,
      handle: (batch) => {
        for (const event of batch.events) {
          // Types that a newer release added are none that this release decides by.
          this.state.apply(event as unknown as RegistryEvent & RecordedFacts);
          this.position = event.position;
        }
        this.position = batch.position;
        this.member?.applied(batch.position);
        this.setbacks.overcome();
        return Promise.resolve();
      },
    }));
  }
}
