import { newUlid } from '@sluice/kernel';
import type { Collection, Row, Rows, StateStore } from './port';

interface OutboxRow<Note> extends Row {
  readonly notes: readonly Note[];
}

/** Notes in the state store that a process could not send before it stopped. Another process sends them. */
export class Outbox<Note> {
  private readonly rows: Rows<OutboxRow<Note>>;

  constructor(state: StateStore, name: string) {
    const collection: Collection<OutboxRow<Note>> = { name, indexes: [] };
    this.rows = state.rows(collection);
  }

  async add(notes: readonly Note[]): Promise<void> {
    if (notes.length > 0) await this.rows.put({ id: newUlid(), notes });
  }

  /** Removes all notes. Each is given to one of the processes that take them at the same time. */
  async take(each: (note: Note) => void): Promise<void> {
    for (const { id, notes } of await this.rows.find()) if (await this.rows.delete(id)) notes.forEach(each);
  }
}
