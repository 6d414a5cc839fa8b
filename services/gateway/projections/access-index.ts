import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { RegistryEvent } from '@sluice/contracts';
import { LIVE_MEMBERS, REPORT, type Report } from '@sluice/engines';
import { EVENT_STORE, START, type EventStore, type RecordedFacts, type Subscription } from '@sluice/event-store';
import type { LiveMember, LiveMembers } from '@sluice/messaging';
import { AccessState } from './access-state';

const PREFIXES = ['apps', 'app-', 'token-', 'owner-'];

/**
 * Keeps the access state current. Complete before the process takes its first request; from then
 * on a change counts as soon as its answer has left (ARCHITECTURE, "Answers from memory").
 */
@Injectable()
export class AccessIndex implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly state = new AccessState();
  private member?: LiveMember;
  private subscription?: Subscription;

  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(LIVE_MEMBERS) private readonly members: LiveMembers,
    @Inject(REPORT) private readonly report: Report,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const member = this.members.join('gateway', PREFIXES);
    // Changes made from here on wait for this process; those before are in the store already.
    await member.announced;
    const subscription = this.events.subscribe({
      after: START,
      prefixes: PREFIXES,
      handle: (batch) => {
        // Types that a newer release added are none that this release decides by.
        for (const event of batch.events) this.state.apply(event as unknown as RegistryEvent & RecordedFacts);
        member.applied(batch.position);
        return Promise.resolve();
      },
    });
    this.member = member;
    this.subscription = subscription;
    subscription.stopped.catch((error: unknown) => this.report('The access index stopped following events', error));
    await Promise.race([subscription.caughtUp, subscription.stopped]);
  }

  async onApplicationShutdown(): Promise<void> {
    this.member?.leave();
    await this.subscription?.close();
  }
}
