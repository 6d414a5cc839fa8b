import { createHash, randomUUID } from 'node:crypto';
import { decodeTime, monotonicFactory } from 'ulid';

const nextUlid = monotonicFactory();

/** A ULID: 26 characters, sortable by time, monotonic within this process. */
export function newUlid(): string {
  return nextUlid();
}

/** Milliseconds since the epoch at which a ULID was made. */
export function ulidTime(ulid: string): number {
  return decodeTime(ulid);
}

/** A new random id for a command without an Idempotency-Key. */
export function newCommandId(): string {
  return randomUUID();
}

const NAMESPACE = Buffer.from('5f0c1a52a1f84d7ea7a15f7f6d1d2c39', 'hex');

/** A UUID version 5 in Sluice's own namespace: the same parts always give the same id. */
export function stableUuid(...parts: readonly (string | number)[]): string {
  const digest = createHash('sha1').update(NAMESPACE).update(JSON.stringify(parts)).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = digest.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
