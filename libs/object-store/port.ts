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
  /** A put of more bytes fails with ObjectTooLargeError. */
  readonly maxBytes?: number;
}

export interface PresignOptions {
  /** The URL is valid from this time on, which may be in the past. */
  readonly from: Date;
  /** Whole seconds. */
  readonly ttlSeconds: number;
  /** Response headers of the engine. */
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

/** The engine is unavailable, full or read-only. No part of the object is visible. */
export class ObjectStoreUnavailableError extends EngineUnavailableError {
  readonly engine = 'object store';
  override readonly name = 'ObjectStoreUnavailableError';
}

/**
 * Immutable bytes under keys like `bundles/01J….zip`: segments of `[A-Za-z0-9._-]` joined by `/`, none of them `.` or
 * `..`. Any other key is rejected with InvalidObjectKeyError. One contract suite tests every engine.
 */
export interface ObjectStore {
  /**
   * Streams with back-pressure in constant memory and resolves once the bytes are durable. Atomic: after an aborted
   * source, a kill or a full disk, nothing is visible under the key.
   * @throws ObjectTooLargeError, ObjectStoreUnavailableError, or the source's own error
   */
  put(key: string, source: Readable, options?: PutOptions): Promise<PutResult>;
  /**
   * Rejects before the first byte.
   * @throws ObjectNotFoundError, ObjectStoreUnavailableError, or RangeError for a range that starts after the last byte
   *   or ends before it starts
   */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Undefined when there is no such object. */
  stat(key: string): Promise<StoredObject | undefined>;
  /** Resolves with whether the object existed. */
  delete(key: string): Promise<boolean>;
  /** Keys that start with the prefix (empty: all keys), in no particular order. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** @throws ObjectStoreUnavailableError when the engine can't be reached */
  ping(): Promise<void>;
  /**
   * A URL from which anyone may GET the object, also as ranges, until it expires. The engine is not contacted, so a
   * missing object shows only when the URL is used. Undefined for an engine without presigned URLs.
   */
  readonly presign?: (key: string, options: PresignOptions) => Promise<string>;
  close(): Promise<void>;
}

/** Injection token of the ObjectStore. */
export const OBJECT_STORE = Symbol('ObjectStore');
