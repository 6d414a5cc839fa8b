import { START as FROM_START, type Position as LogPosition } from '@eventstore/db-client';
import { type Position, START } from '../port';

/** Of the greatest 64-bit number. */
const DIGITS = 20;

/**
 * Commit and prepare position, whole: the server takes none other back. Padded, so that text order
 * is log order. The first record of a store is at 0, which is a position like any other.
 */
export function toPosition({ commit, prepare }: LogPosition): Position {
  return `${digits(commit)}.${digits(prepare)}`;
}

export function fromPosition(position: Position): LogPosition | typeof FROM_START {
  if (position === START) return FROM_START;
  const [commit = '', prepare = ''] = position.split('.');
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
}

function digits(number: bigint): string {
  return String(number).padStart(DIGITS, '0');
}
