import type { ClientSession, Collection } from 'mongodb';
import type { Checkpoint, ProjectionIdentity } from '../port';
import type { Connection } from './connection';
import { checkedName, replacedGeneration } from '../adapter-rules';
import type { Stored } from './documents';
import { createIndexes, missingIndexes, viewIndexesOf } from './indexes';

interface Pointer {
  readonly _id: string;
  /** 0: none yet. */
  readonly live: number;
  /** Numbers are never given twice: a runner of a dropped generation can't mistake the next for its own. */
  readonly last: number;
}

export interface GenerationState {
  readonly _id: string;
  readonly projection: string;
  readonly generation: number;
  /** Null: nothing was ever committed. */
  readonly checkpoint: Checkpoint | null;
}

/**
 * Which generations of a projection's rows there are, and which of them is live.
 *
 * A process may lose its turn at any step and continue much later, so no step relies on the turn. A generation
 * becomes live only while its number is the last that was given. Once a number is given, every lower one is
 * therefore dead, except the one that was live then. A process deletes what is dead by the number that it was
 * given itself, however late. This holds wherever an update of one document is one step. FerretDB 1 reads and
 * writes in separate steps: there, a process that lost its turn must also meet another one within the same few
 * milliseconds to do harm.
 */
export class Generations {
  readonly states: Collection<GenerationState>;
  readonly #pointers: Collection<Pointer>;

  constructor(private readonly connection: Connection) {
    this.states = connection.db.collection('_generations');
    this.#pointers = connection.db.collection('_projections');
  }

  rows(projection: string, generation: number, collection: string): Collection<Stored> {
    return this.connection.db.collection(`${prefixOf(projection, generation)}${checkedName(collection)}`);
  }

  /** Undefined: there is none yet. */
  async live(projection: string): Promise<number | undefined> {
    return (await this.#pointers.findOne({ _id: projection }))?.live || undefined;
  }

  openLive(projection: ProjectionIdentity, signal: AbortSignal): Promise<number> {
    return this.#inTurn(projection, signal, async (name) => {
      for (;;) {
        const live = await this.live(name);
        if (live !== undefined) {
          await this.#createRows(projection, live);
          return live;
        }
        const { last } = await this.#next(name);
        await this.#createState(name, last);
        await this.#createRows(projection, last);
        if (await this.#makeLive(name, 0, last)) return last;
      }
    });
  }

  openRebuild(projection: ProjectionIdentity, signal: AbortSignal): Promise<number> {
    return this.#inTurn(projection, signal, async (name) => {
      const { live, last } = await this.connection.transact(signal, async (session) => {
        const pointer = await this.#next(name, session);
        const dead = { projection: name, generation: { $lt: pointer.last, $ne: pointer.live } };
        await this.states.deleteMany(dead, session && { session });
        await this.#createState(name, pointer.last, session);
        return pointer;
      });
      await this.#dropRows(name, (generation) => generation < last && generation !== live);
      await this.#createRows(projection, last);
      return last;
    });
  }

  /** As DocumentStore.swap. A commit to the generation that goes would write the state that is deleted here. */
  swap(projection: ProjectionIdentity, generation: number, signal: AbortSignal): Promise<boolean> {
    return this.#inTurn(projection, signal, async (name) => {
      const swapped = await this.connection.transact(signal, async (session) => {
        const options = session && { session };
        const states = await this.states.find({ projection: name }, options).toArray();
        const { live = 0 } = (await this.#pointers.findOne({ _id: name }, options)) ?? {};
        if (live === generation) return true;
        const target = states.find((state) => state.generation === generation);
        const current = states.find((state) => state.generation === live);
        if (target && isAhead(current?.checkpoint, target.checkpoint)) return false;
        if (!target || !(await this.#makeLive(name, live, generation, session))) {
          throw replacedGeneration(name, generation);
        }
        await this.states.deleteMany({ projection: name, generation: { $lt: generation } }, options);
        return true;
      });
      if (swapped) await this.#dropRows(name, (other) => other < generation);
      return swapped;
    });
  }

  #inTurn<T>({ name }: ProjectionIdentity, signal: AbortSignal, action: (name: string) => Promise<T>): Promise<T> {
    checkedName(name);
    return this.connection.turns.take(turnOf(name), signal, () => action(name));
  }

  /** Gives a number, which ends every lower one that is not live. */
  async #next(projection: string, session?: ClientSession): Promise<Pointer> {
    const pointer = await this.#pointers.findOneAndUpdate(
      { _id: projection },
      { $inc: { last: 1 }, $setOnInsert: { live: 0 } },
      { upsert: true, returnDocument: 'after', ...(session && { session }) },
    );
    if (!pointer) throw new Error(`The pointer of projection "${projection}" is gone.`);
    return pointer;
  }

  /** Answers false when the live generation is another, or a later number was given. */
  async #makeLive(projection: string, live: number, next: number, session?: ClientSession): Promise<boolean> {
    const { matchedCount } = await this.#pointers.updateOne(
      { _id: projection, live, last: next },
      { $set: { live: next } },
      session && { session },
    );
    return matchedCount === 1;
  }

  async #createState(projection: string, generation: number, session?: ClientSession): Promise<void> {
    const state = { _id: `${projection}/${generation}`, projection, generation, checkpoint: null };
    await this.states.insertOne(state, session && { session });
  }

  async #createRows({ name, collections }: ProjectionIdentity, generation: number): Promise<void> {
    for (const collection of collections) {
      const rows = this.rows(name, generation, collection.name);
      await createIndexes(this.connection, rows, await missingIndexes(rows, viewIndexesOf(collection)));
    }
  }

  /** Those included that a process left over that was overtaken. */
  async #dropRows(projection: string, isDead: (generation: number) => boolean): Promise<void> {
    const { db } = this.connection;
    const collections = await db.listCollections({}, { nameOnly: true }).toArray();
    for (const { name } of collections) {
      const [owner, generation, collection] = name.split('.');
      if (owner === projection && collection !== undefined && isDead(Number(generation))) await db.dropCollection(name);
    }
  }
}

/** A process takes this turn to change a projection's generations. */
export const turnOf = (projection: string): string => `projection/${projection}`;

const prefixOf = (projection: string, generation: number): string => `${checkedName(projection)}.${generation}.`;

function isAhead(live: Checkpoint | null | undefined, target: Checkpoint | null): boolean {
  return live?.store === target?.store && (live?.position ?? '') > (target?.position ?? '');
}
