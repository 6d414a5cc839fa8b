import type { Collection } from 'mongodb';
import type { Checkpoint, ProjectionIdentity } from '../port';
import type { Connection } from './connection';
import { checkedName, type Stored } from './documents';
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

/** Which generations of a projection's rows there are, and which of them is live. */
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

  openLive(projection: ProjectionIdentity): Promise<number> {
    return this.#inTurn(projection, async (name) => {
      const live = await this.live(name);
      const generation = live ?? (await this.#next(name));
      await this.#createRows(projection, generation);
      if (live === undefined) await this.#pointers.updateOne({ _id: name }, { $set: { live: generation } });
      return generation;
    });
  }

  openRebuild(projection: ProjectionIdentity): Promise<number> {
    return this.#inTurn(projection, async (name) => {
      const live = await this.live(name);
      await this.states.deleteMany({ projection: name, generation: { $ne: live ?? 0 } });
      await this.#dropRows(name, live);
      const generation = await this.#next(name);
      await this.#createRows(projection, generation);
      return generation;
    });
  }

  /** As DocumentStore.swap. A commit to the generation that goes would write the state that is deleted here. */
  swap(projection: ProjectionIdentity, generation: number): Promise<boolean> {
    return this.#inTurn(projection, async (name) => {
      const swapped = await this.connection.transact(async (session) => {
        const options = session && { session };
        const states = await this.states.find({ projection: name }, options).toArray();
        const pointer = await this.#pointers.findOne({ _id: name }, options);
        if (pointer?.live === generation) return true;
        const target = states.find((state) => state.generation === generation);
        if (!target) {
          throw new Error(`Generation ${generation} of projection "${name}" is gone: another rebuild took its place.`);
        }
        const live = states.find((state) => state.generation === pointer?.live);
        if (isAhead(live?.checkpoint, target.checkpoint)) return false;
        await this.#pointers.updateOne({ _id: name }, { $set: { live: generation } }, options);
        await this.states.deleteMany({ projection: name, generation: { $ne: generation } }, options);
        return true;
      });
      if (swapped) await this.#dropRows(name, generation);
      return swapped;
    });
  }

  #inTurn<T>({ name }: ProjectionIdentity, action: (name: string) => Promise<T>): Promise<T> {
    checkedName(name);
    return this.connection.turns.take(turnOf(name), () => action(name));
  }

  async #next(projection: string): Promise<number> {
    const pointer = await this.#pointers.findOneAndUpdate(
      { _id: projection },
      { $inc: { last: 1 }, $setOnInsert: { live: 0 } },
      { upsert: true, returnDocument: 'after' },
    );
    const generation = pointer?.last ?? 1;
    await this.states.insertOne({ _id: `${projection}/${generation}`, projection, generation, checkpoint: null });
    return generation;
  }

  async #createRows({ name, collections }: ProjectionIdentity, generation: number): Promise<void> {
    for (const collection of collections) {
      const rows = this.rows(name, generation, collection.name);
      await createIndexes(rows, await missingIndexes(rows, viewIndexesOf(collection)));
    }
  }

  /** Of all generations but one, those included that a process left over that was overtaken. */
  async #dropRows(projection: string, kept: number | undefined): Promise<void> {
    const { db } = this.connection;
    const collections = await db.listCollections({}, { nameOnly: true }).toArray();
    for (const { name } of collections) {
      const [owner, generation, collection] = name.split('.');
      if (owner === projection && collection !== undefined && Number(generation) !== kept)
        await db.dropCollection(name);
    }
  }
}

/** Whoever changes a projection's generations takes this turn. */
export const turnOf = (projection: string): string => `projection/${projection}`;

const prefixOf = (projection: string, generation: number): string => `${checkedName(projection)}.${generation}.`;

function isAhead(live: Checkpoint | null | undefined, target: Checkpoint | null): boolean {
  return live?.store === target?.store && (live?.position ?? '') > (target?.position ?? '');
}
