import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  type AnyCollection,
  type ReadableRows,
  ReadStore,
  refuseForeignEvents,
  type Row,
  StateStore,
} from '@sluice/document-store';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { CLOCK, PeriodicTask, LOGGER, type Logger } from '@sluice/service-host';
import { EVENT_STORE, type EventStore } from '@sluice/event-store';
import type { Clock } from '@sluice/kernel';
import { OBJECT_STORE, type ObjectStore, type StoredObject } from '@sluice/object-store';
import { VAULT, type Vault } from '@sluice/vault';
import { apiKeyUsage } from './api-keys/api-key-usage';
import { API_KEY_SEALS } from './api-keys/domain/api-keys';
import { KEYSTORE_OBJECTS, KEYSTORE_SEALS } from './keystores/domain/keystore';
import { SIGNING_KEY_SEALS } from './signing-keys/domain/signing-key';
import { apiKeyRows, apiKeysProjection } from './api-keys/api-keys.projection';
import { keystoreRows, keystoresProjection } from './keystores/keystores.projection';
import { listedSigningKeyRows, signingKeysProjection } from './signing-keys/signing-keys.projection';

/** A creation has appended its event, or given up, long before. */
const IN_FLIGHT_MS = 60_000;
const PAGE = 100;

/** One kind of what events name, and where those are found that they do. */
interface Kind {
  readonly projection: string;
  readonly rows: AnyCollection;
  /** The member of a row that names one. */
  readonly member: string;
  readonly all: () => AsyncIterable<string>;
  readonly delete: (id: string) => Promise<boolean>;
}

/**
 * Deletes seals of keys and sealed keystores that no event names: what is left when a process dies
 * between them and their event, or behind the event that gave them up; and what is known of the use
 * of deleted API keys. Each goes when this process
 * has found it unnamed for OBJECT_GRACE_SECONDS, counted on its own clock from the first time, so
 * that no other clock matters; named is what a read model says that has caught up past a head read
 * after it was seen. Any number of replicas may sweep.
 */
@Injectable()
export class OrphanSweep extends PeriodicTask {
  private readonly graceMs: number;
  private readonly kinds: readonly Kind[];
  /** Since when, on the monotonic clock, each was found unnamed. */
  private unnamedSince: ReadonlyMap<string, number> = new Map();

  constructor(
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(OBJECT_STORE) objects: ObjectStore,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly readStore: ReadStore,
    private readonly state: StateStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({
      everyMs: Math.min(Math.max(settings.objectGraceSeconds * 250, 1_000), 3_600_000),
      run: async () => {
        const deleted = await this.sweep();
        if (deleted.length > 0) logger.warn(`Swept seals and keystores that no event names: ${deleted.length}`);
      },
      fault: 'Seals and keystores can not be swept',
      logger,
    });
    this.graceMs = Math.max(settings.objectGraceSeconds * 1_000, IN_FLIGHT_MS);
    const used = state.rows(apiKeyUsage);
    this.kinds = [
      this.seals(API_KEY_SEALS, apiKeysProjection, apiKeyRows),
      this.seals(SIGNING_KEY_SEALS, signingKeysProjection, listedSigningKeyRows),
      this.seals(KEYSTORE_SEALS, keystoresProjection, keystoreRows),
      {
        ...{ projection: keystoresProjection.name, rows: keystoreRows, member: 'objectKey' },
        all: () => keysOf(objects.list(KEYSTORE_OBJECTS)),
        delete: (key) => objects.delete(key),
      },
      {
        ...{ projection: apiKeysProjection.name, rows: apiKeyRows, member: 'id' },
        all: () => idsOf(used),
        delete: (id) => used.delete(id),
      },
    ];
  }

  /** Looks at each once; answers the ids that were deleted. @throws UnavailableError when it can't be judged now */
  async sweep(): Promise<string[]> {
    const { events, state, settings } = this;
    const { eventStorePrefix } = settings;
    await refuseForeignEvents({ sweep: 'api-key-seals', state, events, eventStorePrefix });
    const unnamedSince = new Map<string, number>();
    const deleted: string[] = [];
    for (const kind of this.kinds) {
      for await (const ids of pagesOf(kind.all())) {
        for (const id of await this.unnamedOf(kind, ids)) {
          const since = this.unnamedSince.get(id) ?? this.clock.monotonic();
          if (this.clock.monotonic() - since < this.graceMs) unnamedSince.set(id, since);
          else if (await kind.delete(id)) deleted.push(id);
        }
      }
    }
    this.unnamedSince = unnamedSince;
    return deleted;
  }

  private seals(prefix: string, { name: projection }: { readonly name: string }, rows: AnyCollection): Kind {
    const { vault } = this;
    return {
      ...{ projection, rows, member: 'sealId' },
      delete: (id) => vault.delete(id),
      async *all() {
        for (let after = ''; ;) {
          const ids = await vault.ids({ prefix, after, limit: PAGE });
          yield* ids;
          if (ids.length < PAGE) return;
          after = ids.at(-1) ?? '';
        }
      },
    };
  }

  private async unnamedOf({ projection, rows, member }: Kind, ids: readonly string[]): Promise<readonly string[]> {
    const { name } = rows;
    const view = this.readStore.view<NamingRow>(projection, { name, indexes: [] });
    let unnamed = ids;
    await this.projections.find(projection, async () => {
      const naming = await view.find({ where: { [member]: { in: unnamed } } });
      const named = new Set(naming.map((row) => row[member]));
      unnamed = unnamed.filter((id) => !named.has(id));
      return unnamed.length === 0 ? unnamed : undefined;
    });
    return unnamed;
  }
}

type NamingRow = Row & Readonly<Record<string, unknown>>;

async function* keysOf(objects: AsyncIterable<StoredObject>): AsyncGenerator<string> {
  for await (const { key } of objects) yield key;
}

async function* idsOf(rows: ReadableRows<Row>): AsyncGenerator<string> {
  for (let after = ''; ;) {
    const page = await rows.find({ where: { id: { gt: after } }, limit: PAGE });
    for (const { id } of page) yield id;
    if (page.length < PAGE) return;
    after = page.at(-1)?.id ?? '';
  }
}

async function* pagesOf(ids: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let page: string[] = [];
  for await (const id of ids) {
    page.push(id);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
