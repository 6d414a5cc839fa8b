import type { Condition, RowVersion } from './port';

const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** How long a deleted row of a projection is remembered, and how often older ones are looked for. */
export const TOMBSTONE_LIFETIME_MS = 60 * 60 * 1000;
export const PURGE_INTERVAL_MS = 60 * 1000;

/** @throws TypeError */
export function checkedName(name: string): string {
  if (NAME.test(name)) return name;
  throw new TypeError(
    `"${name}" can't name a collection or projection: expected a letter, then letters, digits, _ or -.`,
  );
}

/** @param form of the members that the engine can name in a query. @throws TypeError */
export function checkedField(field: string, form: RegExp): string {
  if (form.test(field)) return field;
  throw new TypeError(`"${field}" can't be filtered, sorted or indexed by: expected a plain member name.`);
}

/** @throws TypeError */
export function checkedCondition(field: string, wanted: Condition | undefined): Condition {
  if (wanted !== undefined) return wanted;
  throw new TypeError(`The condition on "${field}" is undefined; leave it out or give null.`);
}

/** Random: a row that is deleted and written again must not get the version that it had. */
export function newVersion(): RowVersion {
  return Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
}

export function undeclaredCollection(projection: string, collection: string): TypeError {
  return new TypeError(`Projection "${projection}" does not declare the collection "${collection}".`);
}

/** Why a generation can't become live. */
export function replacedGeneration(projection: string, generation: number): Error {
  return new Error(`Generation ${generation} of projection "${projection}" is gone: another rebuild took its place.`);
}
