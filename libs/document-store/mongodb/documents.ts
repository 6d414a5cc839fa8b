import { BSON, type Document, type Filter, type Sort } from 'mongodb';
import { wellFormedJson } from '@sluice/kernel';
import { checkedCondition, checkedField } from '../adapter-rules';
import { type Condition, type Query, type Row, RowTooLargeError, type Where } from '../port';

/**
 * A row as it is stored. Its scalar members are the document's own, so that they can be filtered, sorted
 * and indexed by; all others stand together as JSON, which takes any name and any value back as it was.
 */
export interface Stored extends Document {
  readonly _id: string;
  /** The other members, as JSON. */
  readonly _more?: string;
  /** Of the state store: changes with every write. */
  readonly _version?: number;
  /** Of a view: the event that wrote it last. */
  readonly _position?: string;
  /** Of a view: empty for a row that is seen; a tombstone's is the time of its deletion and its id. */
  readonly _gone?: string;
}

export const LIVE = '';

/** MongoDB's limit, less the members that `Stored` adds. */
const MAX_BYTES = 16 * 1024 * 1024 - 1024;
/** Of a character in UTF-16. */
const MAX_BYTES_OF_UNIT = 3;

const FIELD = /^[A-Za-z][A-Za-z0-9_]*$/;

/** Of a row that can be seen, or of the state store. @throws RowTooLargeError */
export function toDocument(row: Row, facts: Partial<Stored>): Stored {
  const document: Record<string, unknown> = { _id: row.id };
  const more: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    if (name === 'id' || value === undefined) continue;
    const plain = FIELD.test(name) && (value === null || typeof value !== 'object');
    (plain ? document : more)[name] = value;
  }
  if (Object.keys(more).length > 0) document['_more'] = wellFormedJson(more);
  const stored = { ...document, ...facts } as Stored;
  const bytes = tooManyBytes(stored);
  if (bytes !== undefined) throw new RowTooLargeError(row.id, bytes, MAX_BYTES);
  return stored;
}

/** Undefined: few enough. Counts a document that could be too large alone. */
function tooManyBytes(document: Stored): number | undefined {
  let units = 0;
  for (const value of Object.values(document)) if (typeof value === 'string') units += value.length;
  if (units * MAX_BYTES_OF_UNIT < MAX_BYTES / 2) return undefined;
  const bytes = BSON.calculateObjectSize(document);
  return bytes > MAX_BYTES ? bytes : undefined;
}

export function toRow({ _id, _more, ...document }: Stored): Row {
  const row: Record<string, unknown> = { id: _id };
  for (const [name, value] of Object.entries(document)) if (!name.startsWith('_')) row[name] = value;
  return { ...row, ...(_more !== undefined && (JSON.parse(_more) as object)) } as unknown as Row;
}

/** @throws TypeError for a condition that is undefined */
export function filterOf<R extends Row>(where: Where<R> = {}): Filter<Stored> {
  const filter: Record<string, unknown> = {};
  for (const [field, wanted] of Object.entries(where) as [string, Condition | undefined][]) {
    const condition = conditionOf(checkedCondition(field, wanted));
    if (condition !== undefined) filter[member(field)] = condition;
  }
  return filter;
}

function conditionOf(wanted: Condition): unknown {
  if (wanted === null || typeof wanted !== 'object') return { $eq: wanted };
  if ('in' in wanted) return { $in: wanted.in };
  const bounds = (['gt', 'gte', 'lt', 'lte'] as const).flatMap((operator) =>
    wanted[operator] === undefined ? [] : [[`$${operator}`, wanted[operator]]],
  );
  return bounds.length === 0 ? undefined : Object.fromEntries(bounds);
}

export function sortOf<R extends Row>(sort: Query<R>['sort'] = []): Sort {
  const criteria = sort.map(([field, direction]): [string, 1 | -1] => [member(field), direction === 'desc' ? -1 : 1]);
  return criteria.some(([field]) => field === '_id') ? criteria : [...criteria, ['_id', 1]];
}

/** The name of a row's member in the stored document. */
export function member(field: string): string {
  return field === 'id' ? '_id' : checkedField(field, FIELD);
}
