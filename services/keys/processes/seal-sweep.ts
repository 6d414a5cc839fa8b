import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  type Collection,
  type DocumentStore,
  PROJECTIONS,
  type Projections,
  READ_STORE,
  refuseForeignEvents,
  type Row,
  STATE_STORE,
} from '@sluice/document-store';
import { CLOCK, REPORT, type Report } from '@sluice/engines';
import { EVENT_STORE, type EventStore } from '@sluice/event-store';
import { type Clock, UnavailableError } from '@sluice/kernel';
import { VAULT, type Vault } from '@sluice/vault';
import { API_KEY_SEALS } from '../domain/api-keys';
import { SIGNING_KEY_SEALS } from '../domain/signing-key';
import { apiKeyRows, apiKeysProjection } from '../projections/api-keys.projection';
import { signingKeyRows, signingKeysProjection } from '../projections/signing-keys.projection';

/** A creation has appended its event, or given up, long before. */
const IN_FLIGHT_MS = 60_000;
const PAGE = 100;

interface SealedRow extends Row {
  readonly sealId: string | null;
}

interface Kind {
  /** What the seals' ids begin with. */
  readonly prefix: string;
  /** Where the seals that events name are found. */
  readonly projection: string;
  readonly rows: Collection<SealedRow>;
}

const KINDS: readonly Kind[] = [
  { prefix: API_KEY_SEALS, projection: apiKeysProjection.name, rows: { name: apiKeyRows.name, indexes: [] } },
  {
    prefix: SIGNING_KEY_SEALS,
    projection: signingKeysProjection.name,
    rows: { name: signingKeyRows.name, indexes: [] },
  },
];

/**
 * Deletes sealed API keys and signing keys that no event names: what is left when a process dies between the seal and
 * its event. A seal goes when this process has found it unnamed for OBJECT_GRACE_SECONDS, counted on
 * its own clock from the first time, so that no other clock matters; named is what a read model says
 * that has caught up past a head read after the seal was seen. Any number of replicas may sweep.
 */
@Injectable()
export class SealSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly graceMs: number;
  /** Since when, on the monotonic clock, each was found unnamed. */
  private unnamedSince: ReadonlyMap<string, number> = new Map();
  private ended: Promise<void> = Promise.resolve();

  constructor(
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(READ_STORE) private readonly readStore: DocumentStore,
    @Inject(STATE_STORE) private readonly state: DocumentStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(REPORT) private readonly report: Report,
  ) {
    this.graceMs = Math.max(settings.objectGraceSeconds * 1_000, IN_FLIGHT_MS);
  }

  onApplicationBootstrap(): void {
    this.ended = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  /** Looks at every seal once; answers the ids that were deleted. @throws UnavailableError when it can't be judged now */
  async sweep(): Promise<string[]> {
    const { events, state, settings } = this;
    const { eventStorePrefix } = settings;
    await refuseForeignEvents({ sweep: 'api-key-seals', state, events, eventStorePrefix });
    const unnamedSince = new Map<string, number>();
    const deleted: string[] = [];
    for (const kind of KINDS) {
      for (let ids = await this.page(kind); ids.length > 0; ids = await this.page(kind, ids.at(-1))) {
        for (const id of await this.unnamedOf(kind, ids)) {
          const since = this.unnamedSince.get(id) ?? this.clock.monotonic();
          if (this.clock.monotonic() - since < this.graceMs) unnamedSince.set(id, since);
          else if (await this.vault.delete(id)) deleted.push(id);
        }
      }
    }
    this.unnamedSince = unnamedSince;
    return deleted;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const pauseMs = Math.min(Math.max(this.settings.objectGraceSeconds * 250, 1_000), 3_600_000);
    for (;;) {
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const deleted = await this.sweep();
        if (deleted.length > 0) this.report(`Swept sealed keys that no event names: ${deleted.length}`);
      } catch (error) {
        if (error instanceof UnavailableError) this.report(`Sealed keys are not swept now. ${error.message}`);
        else this.report('Sealed keys can not be swept', error);
      }
    }
  }

  private page({ prefix }: Kind, after = ''): Promise<string[]> {
    return this.vault.ids({ prefix, after, limit: PAGE });
  }

  private async unnamedOf({ projection, rows }: Kind, ids: readonly string[]): Promise<readonly string[]> {
    const view = this.readStore.view<SealedRow>(projection, rows);
    let unnamed = ids;
    await this.projections.find(projection, async () => {
      const naming = await view.find({ where: { sealId: { in: unnamed } } });
      const named = new Set(naming.map(({ sealId }) => sealId));
      unnamed = unnamed.filter((id) => !named.has(id));
      return unnamed.length === 0 ? unnamed : undefined;
    });
    return unnamed;
  }
}
