import { EventEmitter, once } from 'node:events';
import { BSON, type Document } from 'mongodb';

/** What a command is rejected with. */
export class CommandFault extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly labels: readonly string[] = [],
  ) {
    super(message);
  }
}

const TRANSIENT = ['TransientTransactionError'];
const conflict = () => new CommandFault(112, 'WriteConflict error: this operation conflicted with another.', TRANSIENT);

interface Version {
  readonly at: number;
  /** Undefined: deleted. */
  readonly document: Document | undefined;
}

export interface IndexDescription {
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly name: string;
  readonly unique?: boolean;
}

interface Held {
  readonly versions: Map<string, Version[]>;
  readonly indexes: IndexDescription[];
}

/** Writes that are not committed yet. */
export class Transaction {
  readonly writes = new Map<string, Map<string, Document | undefined>>();
  /** @param readAt Infinity: each statement reads what is committed by then, as `local` may do */
  constructor(readonly readAt: number) {}
}

/**
 * Collections of documents with the isolation that MongoDB promises: a transaction that reads a snapshot sees
 * one state, and of two that write one document the second meets a conflict. A write outside a transaction
 * waits for those that hold its document.
 */
export class Documents {
  readonly #collections = new Map<string, Held>();
  readonly #open = new Set<Transaction>();
  readonly #ended = new EventEmitter().setMaxListeners(0);
  #clock = 0;

  get names(): readonly string[] {
    return [...this.#collections.keys()];
  }

  indexes(name: string): IndexDescription[] | undefined {
    return this.#collections.get(name)?.indexes;
  }

  create(name: string): Held {
    const there = this.#collections.get(name);
    if (there) return there;
    const made: Held = { versions: new Map(), indexes: [{ key: { _id: 1 }, name: '_id_' }] };
    this.#collections.set(name, made);
    return made;
  }

  drop(name: string): boolean {
    return this.#collections.delete(name);
  }

  begin(snapshot: boolean): Transaction {
    const transaction = new Transaction(snapshot ? this.#clock : Infinity);
    this.#open.add(transaction);
    return transaction;
  }

  isOpen(transaction: Transaction): boolean {
    return this.#open.has(transaction);
  }

  commit(transaction: Transaction): void {
    this.#clock += 1;
    for (const [name, writes] of transaction.writes) {
      for (const [key, document] of writes) this.#append(name, key, document);
    }
    this.abort(transaction);
  }

  abort(transaction: Transaction): void {
    if (this.#open.delete(transaction)) this.#ended.emit('ended');
  }

  /** Those that meet the filter. */
  find(name: string, filter: Document, transaction?: Transaction): Document[] {
    const { _id: id } = filter;
    const single = typeof id === 'string' ? id : (id as { $eq?: unknown } | undefined)?.$eq;
    const wanted = typeof single === 'string' ? [keyOf(single)] : this.#keys(name, transaction);
    return [...wanted]
      .map((key) => this.#read(name, key, transaction))
      .filter((document): document is Document => document !== undefined && meets(document, filter));
  }

  /**
   * Writes or deletes one document.
   * @param expected what the caller read; outside a transaction, another document means that it must read again
   * @returns false when it must
   */
  async write(
    name: string,
    id: unknown,
    document: Document | undefined,
    expected: Document | undefined,
    transaction?: Transaction,
  ): Promise<boolean> {
    const key = keyOf(id);
    const held = this.create(name);
    if (this.#isHeld(name, key, document, transaction)) {
      if (transaction) throw conflict();
      await once(this.#ended, 'ended');
      return false;
    }
    const last = held.versions.get(key)?.at(-1);
    if (transaction) {
      if ((last?.at ?? 0) > transaction.readAt) throw conflict();
      this.#checkUnique(name, key, document, transaction);
      const writes = transaction.writes.get(name) ?? new Map<string, Document | undefined>();
      transaction.writes.set(name, writes.set(key, document));
      return true;
    }
    if (last?.document !== expected) return false;
    this.#checkUnique(name, key, document);
    this.#clock += 1;
    this.#append(name, key, document);
    return true;
  }

  #append(name: string, key: string, document: Document | undefined): void {
    const { versions } = this.create(name);
    const known = versions.get(key);
    if (known) known.push({ at: this.#clock, document });
    else versions.set(key, [{ at: this.#clock, document }]);
  }

  #keys(name: string, transaction: Transaction | undefined): Set<string> {
    const stored = this.#collections.get(name)?.versions.keys() ?? [];
    return new Set([...stored, ...(transaction?.writes.get(name)?.keys() ?? [])]);
  }

  #read(name: string, key: string, transaction?: Transaction): Document | undefined {
    const own = transaction?.writes.get(name);
    if (own?.has(key)) return own.get(key);
    const readAt = transaction?.readAt ?? Infinity;
    return this.#collections
      .get(name)
      ?.versions.get(key)
      ?.findLast(({ at }) => at <= readAt)?.document;
  }

  /** By another transaction that is open: this document, or one with its unique values. */
  #isHeld(name: string, key: string, document: Document | undefined, own: Transaction | undefined): boolean {
    const unique = this.#uniqueValues(name, document);
    for (const other of this.#open) {
      const writes = other === own ? undefined : other.writes.get(name);
      if (writes?.has(key)) return true;
      for (const written of writes?.values() ?? []) if (this.#shares(name, unique, written)) return true;
    }
    return false;
  }

  #checkUnique(name: string, key: string, document: Document | undefined, transaction?: Transaction): void {
    const unique = this.#uniqueValues(name, document);
    if (unique.length === 0) return;
    for (const other of this.#keys(name, transaction)) {
      if (other === key) continue;
      const own = transaction?.writes.get(name);
      const last = this.#collections.get(name)?.versions.get(other)?.at(-1);
      const there = own?.has(other) ? own.get(other) : last?.document;
      if (!this.#shares(name, unique, there)) continue;
      if (transaction && !own?.has(other) && (last?.at ?? 0) > transaction.readAt) throw conflict();
      throw duplicate(name);
    }
  }

  #uniqueValues(name: string, document: Document | undefined): string[] {
    const unique = this.#collections.get(name)?.indexes.filter((index) => index.unique) ?? [];
    return document === undefined ? [] : unique.map(({ key }) => valuesOf(document, key));
  }

  #shares(name: string, values: readonly string[], other: Document | undefined): boolean {
    return values.length > 0 && this.#uniqueValues(name, other).some((value, at) => value === values[at]);
  }
}

export const duplicate = (name: string) => new CommandFault(11_000, `E11000 duplicate key error collection: ${name}`);

const keyOf = (id: unknown): string => (typeof id === 'string' ? `s${id}` : BSON.EJSON.stringify({ id }));

const valuesOf = (document: Document, key: IndexDescription['key']): string =>
  JSON.stringify(Object.keys(key).map((field) => (document[field] as unknown) ?? null));

export function meets(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([field, condition]) => {
    const value = (document[field] as unknown) ?? null;
    const isOperators =
      typeof condition === 'object' &&
      condition !== null &&
      Object.keys(condition as object).some((name) => name.startsWith('$'));
    if (!isOperators) return isEqual(value, condition);
    return Object.entries(condition as object).every(([name, wanted]) => holds(name, value, wanted));
  });
}

function holds(operator: string, value: unknown, wanted: unknown): boolean {
  if (operator === '$eq') return isEqual(value, wanted);
  if (operator === '$ne') return !isEqual(value, wanted);
  if (operator === '$in') return (wanted as unknown[]).some((one) => isEqual(value, one));
  // Only values of one type are compared.
  if (typeof value !== typeof wanted || value === null) return false;
  const order = compare(value, wanted);
  if (operator === '$gt') return order > 0;
  if (operator === '$gte') return order >= 0;
  if (operator === '$lt') return order < 0;
  if (operator === '$lte') return order <= 0;
  throw new CommandFault(2, `unknown operator: ${operator}`);
}

const isEqual = (value: unknown, wanted: unknown): boolean =>
  typeof wanted === 'object' && wanted !== null ? keyOf(value) === keyOf(wanted) : value === (wanted ?? null);

const TYPES = ['null', 'number', 'string', 'object', 'boolean'];
const typeOf = (value: unknown): number => TYPES.indexOf(value === null ? 'null' : typeof value);

export function compare(one: unknown, other: unknown): number {
  const types = typeOf(one) - typeOf(other);
  if (types !== 0) return types;
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string));
  return Number(one) - Number(other);
}

export function sorted(documents: Document[], sort: Document): Document[] {
  const criteria = Object.entries(sort) as [string, number][];
  const valueAt = (document: Document, path: string): unknown =>
    path.split('.').reduce<unknown>((value, part) => (value as Document | undefined)?.[part] ?? null, document);
  return documents.sort((one, other) => {
    for (const [path, direction] of criteria) {
      const order = compare(valueAt(one, path), valueAt(other, path));
      if (order !== 0) return order * direction;
    }
    return 0;
  });
}

/** The document that an update makes of another; undefined: of none, where the filter has its id. */
export function updated(document: Document | undefined, filter: Document, update: Document): Document {
  const equal = Object.entries(filter).filter(([, condition]) => typeof condition !== 'object');
  const base: Document = document ?? Object.fromEntries(equal);
  if (!Object.keys(update).some((name) => name.startsWith('$'))) return { _id: base['_id'] as unknown, ...update };
  const { $set = {}, $setOnInsert = {}, $inc = {} } = update as Record<string, Document>;
  const sums = Object.entries($inc).map(([field, by]) => [field, Number(base[field] ?? 0) + Number(by)]);
  return { ...base, ...(document ? {} : $setOnInsert), ...$set, ...(Object.fromEntries(sums) as Document) };
}
