import {
  type AnyCollection,
  type ReadableRows,
  type ReadStore,
  refuseForeignEvents,
  type Row,
  type StateStore,
} from '@sluice/document-store';
import type { EventStore } from '@sluice/event-store';
import type { Clock, Logger } from '@sluice/kernel';
import type { ObjectStore } from '@sluice/object-store';
import type { Projections } from '@sluice/projections';
import { PeriodicTask } from './periodic-task';

/** A creation has appended its event, or given up, long before. */
const IN_FLIGHT_MS = 60_000;
const PAGE = 100;

/** One kind of what events name, and the rows that hold the names. */
export interface SweptKind {
  readonly projection: string;
  readonly rows: AnyCollection;
  /** The member of a row that names one. */
  readonly member: string;
  readonly all: () => AsyncIterable<string>;
  readonly delete: (id: string) => Promise<boolean>;
}

/** Objects under a prefix, which rows name in their member `objectKey`. */
export function sweptObjects(
  objects: Pick<ObjectStore, 'list' | 'delete'>,
  prefix: string,
  naming: Pick<SweptKind, 'projection' | 'rows'>,
): SweptKind {
  return {
    ...naming,
    member: 'objectKey',
    async *all() {
      for await (const { key } of objects.list(prefix)) yield key;
    },
    delete: (key) => objects.delete(key),
  };
}

export interface OrphanSweepOptions {
  /** As in `refuseForeignEvents`. */
  readonly sweep: string;
  /** The kinds in the words of the log, such as `Seals and keystores`. */
  readonly what: string;
  readonly kinds: readonly SweptKind[];
  readonly events: EventStore;
  readonly readStore: ReadStore;
  readonly state: StateStore;
  readonly projections: Pick<Projections, 'find'>;
  readonly clock: Clock;
  /** OBJECT_GRACE_SECONDS. */
  readonly graceSeconds: number;
  readonly eventStorePrefix: string;
  readonly logger: Logger;
}

/**
 * Deletes what was stored for an event and is named by none: what is left when a process dies before the event, or after
 * the event that gave it up. Each is deleted when this process has found it unnamed for OBJECT_GRACE_SECONDS, counted on
 * its own clock from the first time, so that no other clock matters. A read model decides that has caught up past a head
 * read after it was seen. Any number of replicas may sweep.
 */
export class OrphanSweep extends PeriodicTask {
  private readonly graceMs: number;
  /** Since when, on the monotonic clock, each was found unnamed. */
  private unnamedSince: ReadonlyMap<string, number> = new Map();

  constructor(private readonly options: OrphanSweepOptions) {
    const { graceSeconds, what, logger } = options;
    super({
      everyMs: Math.min(Math.max(graceSeconds * 250, 1_000), 3_600_000),
      run: async () => {
        const deleted = await this.sweep();
        if (deleted.length > 0) logger.warn(`Swept what no event names: ${what}: ${deleted.length}`);
      },
      fault: `${what} can not be swept`,
      logger,
    });
    this.graceMs = Math.max(graceSeconds * 1_000, IN_FLIGHT_MS);
  }

  /** Looks at each once. Returns the ids that were deleted. @throws UnavailableError when it can't be judged now */
  async sweep(): Promise<string[]> {
    const { sweep, kinds, events, state, clock, eventStorePrefix } = this.options;
    await refuseForeignEvents({ sweep, state, events, eventStorePrefix });
    const unnamedSince = new Map<string, number>();
    const deleted: string[] = [];
    for (const kind of kinds) {
      for await (const ids of pagesOf(kind.all())) {
        for (const id of await this.unnamedOf(kind, ids)) {
          const since = this.unnamedSince.get(id) ?? clock.monotonic();
          if (clock.monotonic() - since < this.graceMs) unnamedSince.set(id, since);
          else if (await kind.delete(id)) deleted.push(id);
        }
      }
    }
    this.unnamedSince = unnamedSince;
    return deleted;
  }

  private async unnamedOf({ projection, rows, member }: SweptKind, ids: readonly string[]): Promise<readonly string[]> {
    const { name } = rows;
    const view = this.options.readStore.view<NamingRow>(projection, { name, indexes: [] });
    let unnamed = ids;
    await this.options.projections.find(projection, async () => {
      const naming = await view.find({ where: { [member]: { in: unnamed } } });
      const named = new Set(naming.map((row) => row[member]));
      unnamed = unnamed.filter((id) => !named.has(id));
      return unnamed.length === 0 ? unnamed : undefined;
    });
    return unnamed;
  }
}

type NamingRow = Row & Readonly<Record<string, unknown>>;

/** The ids of all rows. */
export async function* idsOf(rows: ReadableRows<Row>): AsyncGenerator<string> {
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
