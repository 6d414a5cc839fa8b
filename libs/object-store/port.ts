import type { Readable } from 'node:stream';
import { EngineUnavailableError } from '@sluice/kernel';

export interface StoredObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly modifiedAt: Date;
}

export interface PutResult {
  /** Bytes. */
  readonly size: number;
  /** Lower-case hex SHA-256 of the bytes. */
  readonly sha256: string;
}

/** Zero-based byte offsets, both inclusive. An end beyond the last byte means the last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface PutOptions {
  /** More bytes than this end the put with ObjectTooLargeError. */
  readonly maxBytes?: number;
}

export interface PresignOptions {
  /** The address counts from then on; it may lie in the past. */
  readonly from: Date;
  /** Whole seconds. */
  readonly ttlSeconds: number;
  /** What the engine says of the bytes. */
  readonly contentType: string;
  readonly contentDisposition: string;
}

export class ObjectNotFoundError extends Error {
  constructor(readonly key: string) {
    super(`There is no object "${key}".`);
    this.name = 'ObjectNotFoundError';
  }
}

export class ObjectTooLargeError extends Error {
  constructor(readonly maxBytes: number) {
    super(`The object has more than ${maxBytes} bytes.`);
    this.name = 'ObjectTooLargeError';
  }
}

/** The engine is away, full or read-only. Nothing of the object is visible. */
export class ObjectStoreUnavailableError extends EngineUnavailableError {
  readonly engine = 'object store';
  override readonly name = 'ObjectStoreUnavailableError';
}

/**
 * Immutable bytes under keys like `bundles/01J….zip`: segments of `[A-Za-z0-9._-]` joined by `/`,
 * no segment `.` or `..`; any other key is refused with InvalidObjectKeyError. One contract suite
 * holds every engine to this.
 */
export interface ObjectStore {
  /**
   * Streams with back-pressure in constant memory and answers once the bytes are durable. Atomic: an
   * aborted source, a kill or a full disk leaves nothing visible under the key.
   * @throws ObjectTooLargeError, ObjectStoreUnavailableError, or the source's own error
   */
  put(key: string, source: Readable, options?: PutOptions): Promise<PutResult>;
  /**
   * @throws ObjectNotFoundError, ObjectStoreUnavailableError, or RangeError for a range that begins behind
   *   the last byte or ends before it begins; all before the first byte
   */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Undefined when there is none. */
  stat(key: string): Promise<StoredObject | undefined>;
  /** Answers whether there was one. */
  delete(key: string): Promise<boolean>;
  /** Keys that begin with the prefix (empty: all), in no promised order. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** @throws ObjectStoreUnavailableError when the engine can't be reached */
  ping(): Promise<void>;
  /**
   * An address from which anybody may GET the object, ranges too, until it expires. The engine is not
   * asked: whether there is an object shows when the address is used. Undefined: this engine gives none.
   */
  readonly presign?: (key: string, options: PresignOptions) => Promise<string>;
  close(): Promise<void>;
}

/** Injection token of the ObjectStore. */
export const OBJECT_STORE = Symbol('ObjectStore');
