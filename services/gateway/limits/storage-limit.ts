import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import { getStorage, type Caller } from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { FastifyRequest } from 'fastify';
import type { GatewaySettings } from '../config/gateway.settings';
import { AccessIndex } from '../access/access-index';
import { unlessUnavailable } from '@sluice/kernel';
import { FORM_BYTES } from '../uploads/upload';

/** An upload waits no longer for what is stored already. */
const PATIENCE_MS = 3_000;

/** What an upload may still store. */
export interface Room {
  /** Of its file. */
  readonly maxBytes: number;
  /** What a larger file is rejected with; undefined: as one above MAX_BUNDLE_BYTES. */
  readonly tooLarge: DomainError | undefined;
  /** Once it is accepted or rejected. */
  readonly release: () => void;
}

/**
 * Holds the bundles of an owner's apps below STORAGE_PER_OWNER_BYTES. Uploads that this process receives at one moment
 * are counted together. While the number of stored bytes is unavailable, uploads continue.
 */
@Injectable()
export class StorageLimit {
  /** By owner, the bytes of uploads on their way. */
  private readonly arriving = new Map<number, number>();

  constructor(
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly access: AccessIndex,
  ) {}

  /** Bytes by app, those without a bundle left out. */
  stored(ownerId: number, caller: Caller, options?: { readonly timeoutMs: number }) {
    const apps = this.access.state.appsOfOwner(ownerId);
    return this.messaging.request(getStorage, { apps }, caller, options);
  }

  /**
   * Before anything of the upload is read.
   * @param maxBundleBytes of any upload
   * @throws DomainError STORAGE_LIMIT_REACHED
   */
  async makeRoom(request: FastifyRequest, ownerId: number, maxBundleBytes: number, caller: Caller): Promise<Room> {
    const { storagePerOwnerBytes: limit } = this.settings;
    // It was stored already, and is answered with that.
    if (request.named?.isRepeat === true)
      return { maxBytes: maxBundleBytes, tooLarge: undefined, release: () => undefined };
    const announced = Number(request.headers['content-length'] ?? Number.NaN);
    const others = this.arriving.get(ownerId) ?? 0;
    const release = this.setAside(ownerId, Math.min(maxBundleBytes, announced || maxBundleBytes));
    try {
      const stored = await unlessUnavailable(this.stored(ownerId, caller, { timeoutMs: PATIENCE_MS }));
      const used = (stored ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
      const left = limit - used - others;
      const tooLarge = new DomainError(
        'STORAGE_LIMIT_REACHED',
        `The bundle does not fit into the storage of this owner: ${used} of ${limit} bytes are in use. Delete builds, or set keep_builds of an app.`,
        { limit_bytes: limit, used_bytes: used },
      );
      // So many bytes at least are the file's: a chunked upload does not say how many come.
      if (left < Math.max(1, (announced || 0) - FORM_BYTES)) throw tooLarge;
      return left < maxBundleBytes
        ? { maxBytes: left, tooLarge, release }
        : { maxBytes: maxBundleBytes, tooLarge: undefined, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  private setAside(ownerId: number, bytes: number): () => void {
    const add = (more: number): void => {
      const sum = (this.arriving.get(ownerId) ?? 0) + more;
      if (sum > 0) this.arriving.set(ownerId, sum);
      else this.arriving.delete(ownerId);
    };
    add(bytes);
    return () => add(-bytes);
  }
}
