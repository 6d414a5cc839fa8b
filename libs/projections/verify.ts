import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { START, type EventStore, type Position } from '@sluice/event-store';
import type {
  AnyCollection,
  Collection,
  DocumentStore,
  PositionedRow,
  ProjectionTarget,
  Row,
} from '@sluice/document-store';
import type { Projection } from './projection';
import { runProjection } from './projection-run';
import { takeTurn } from './rebuild';
import { rowPages } from '@sluice/document-store';

export interface VerifyOptions {
  readonly events: EventStore;
  readonly documents: DocumentStore;
  readonly projection: Projection;
  /** Told how far the replay has come. */
  readonly advanced?: (position: Position) => void;
}

/** A live row that is not what the events make. It names members, never what they hold. */
export interface RowDifference {
  readonly collection: string;
  readonly id: string;
  /** `missing`: the events make a row that is not live; `surplus`: the other way round. */
  readonly kind: 'missing' | 'surplus' | 'different';
  /** Of a `different` row, the members that differ. */
  readonly members: readonly string[];
}

export interface Verification {
  /** The events up to here were replayed. */
  readonly position: Position;
  /** How many live rows were compared. */
  readonly rows: number;
  /** How many rows differ, and the first of them. */
  readonly different: number;
  readonly differences: readonly RowDifference[];
}

const PAGE = 500;
const SHOWN_DIFFERENCES = 20;
const LOOK_MS = 50;
/** When the live rows take longer than this for one event, the projection has stopped. */
const PATIENCE_MS = 30_000;

/**
 * Builds a projection's rows again from the first event on, next to the live ones, compares the two row
 * by row, and drops the new ones. Readers and runners of any process continue meanwhile: a row that an
 * event has just changed on one side is compared once both sides have applied that event.
 * Verifications and rebuilds of one projection take turns.
 *
 * Rejects when an event can't be applied, an engine becomes unavailable, or the live rows stop.
 */
export async function verifyProjection({
  events,
  documents,
  projection,
  advanced = () => undefined,
}: VerifyOptions): Promise<Verification> {
  const turn = await takeTurn(documents, projection.name, new AbortController().signal);
  try {
    const store = await events.identity();
    const live = await documents.liveTarget(projection);
    const checkpoint = await live.checkpoint();
    if (checkpoint && (checkpoint.store !== store || checkpoint.version !== projection.version)) {
      throw new Error('The live rows were made by another release or from another event store: rebuild them.');
    }
    const target = await documents.rebuildTarget(projection);
    const run = runProjection({ events, target, projection, store, checkpoint: undefined, advanced });
    try {
      await Promise.race([run.caughtUp, run.ended]);
      const compared = await compare({ events, live, replayed: target, collections: projection.collections });
      return { position: run.position, ...compared };
    } finally {
      await run.close().catch(() => undefined);
      // An empty generation takes the filled one's place.
      await documents.rebuildTarget(projection);
    }
  } finally {
    await turn?.release();
  }
}

interface Sides {
  readonly events: EventStore;
  readonly live: ProjectionTarget;
  readonly replayed: ProjectionTarget;
}

async function compare({
  collections,
  ...sides
}: Sides & { readonly collections: readonly AnyCollection[] }): Promise<Omit<Verification, 'position'>> {
  const { live, replayed } = sides;
  const differences: RowDifference[] = [];
  let rows = 0;
  let different = 0;
  const judge = async (collection: string, id: string): Promise<void> => {
    const difference = await differenceOf(sides, collection, id);
    if (difference === undefined) return;
    different += 1;
    if (differences.length < SHOWN_DIFFERENCES) differences.push(difference);
  };

  for (const { name } of collections) {
    const collection: Collection<Row> = { name, indexes: [] };
    for await (const found of rowPages(live, collection, PAGE)) {
      const page = byId(found);
      rows += page.size;
      const others = await replayed.read(name, [...page.keys()]);
      for (const [id, { row }] of page) if (!isDeepStrictEqual(row, others.get(id)?.row)) await judge(name, id);
    }
    for await (const found of rowPages(replayed, collection, PAGE)) {
      const page = byId(found);
      const others = await live.read(name, [...page.keys()]);
      // What is there on both sides has been compared.
      for (const id of page.keys()) if (others.get(id)?.row === undefined) await judge(name, id);
    }
  }
  return { rows, different, differences };
}

const byId = (page: readonly PositionedRow[]): ReadonlyMap<string, PositionedRow> =>
  new Map(page.flatMap((positioned) => (positioned.row ? [[positioned.row.id, positioned]] : [])));

/** Undefined: both sides hold the same once both have applied the event that one of them lacked. */
async function differenceOf(sides: Sides, collection: string, id: string): Promise<RowDifference | undefined> {
  let waitedFor: Position | undefined;
  for (;;) {
    const [live, replayed] = await Promise.all([
      rowOf(sides.live, collection, id),
      rowOf(sides.replayed, collection, id),
    ]);
    if (isDeepStrictEqual(live.row, replayed.row)) return undefined;
    const latest = live.position > replayed.position ? live.position : replayed.position;
    if (live.position === replayed.position || latest === waitedFor) {
      return { collection, id, ...kindOf(live.row, replayed.row) };
    }
    await bothReached(sides, latest);
    waitedFor = latest;
  }
}

async function rowOf(target: ProjectionTarget, collection: string, id: string): Promise<PositionedRow> {
  return (await target.read(collection, [id])).get(id) ?? { row: undefined, position: START };
}

/** Resolves immediately for a position that no event has. */
async function bothReached({ events, live, replayed }: Sides, position: Position): Promise<void> {
  const since = performance.now();
  if (position > (await events.head())) return;
  for (;;) {
    const checkpoints = await Promise.all([live.checkpoint(), replayed.checkpoint()]);
    if (checkpoints.every((checkpoint) => checkpoint !== undefined && checkpoint.position >= position)) return;
    if (performance.now() - since > PATIENCE_MS) {
      throw new Error('The live rows are behind the events and do not change: see why the projection stopped.');
    }
    await delay(LOOK_MS);
  }
}

function kindOf(live: Row | undefined, replayed: Row | undefined): Pick<RowDifference, 'kind' | 'members'> {
  if (live === undefined) return { kind: 'missing', members: [] };
  if (replayed === undefined) return { kind: 'surplus', members: [] };
  const [one, other] = [live, replayed] as unknown as Readonly<Record<string, unknown>>[];
  const members = Object.keys({ ...one, ...other }).filter((name) => !isDeepStrictEqual(one?.[name], other?.[name]));
  return { kind: 'different', members };
}
