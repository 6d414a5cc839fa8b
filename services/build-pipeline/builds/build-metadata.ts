import { Injectable } from '@nestjs/common';
import type { BuildMetadata } from '@sluice/contracts';
import {
  type Collection,
  DocumentStoreUnavailableError,
  type Row,
  type Rows,
  StateStore,
} from '@sluice/document-store';
import { DomainError, UnavailableError, withTimeout } from '@sluice/kernel';

/** What an upload stated about the origin of its bundle, under the key of the bundle's object. */
export interface BuildMetadataRow extends Row {
  readonly pairs: BuildMetadata;
}

/** A response about a build waits no longer for its metadata. */
const PATIENCE_MS = 1_000;

export const buildMetadataRows: Collection<BuildMetadataRow> = { name: 'buildMetadata', indexes: [] };

/**
 * The metadata of builds. It names authors, so it is in the state store and in no event. It is found by the object key
 * that the events name, which promoted builds share with their source; MetadataSweep erases it after the last of them.
 */
@Injectable()
export class StoredMetadata {
  private readonly rows: Rows<BuildMetadataRow>;

  constructor(state: StateStore) {
    this.rows = state.rows(buildMetadataRows);
  }

  /**
   * By object key, those without metadata left out: all of them while the state store is unavailable, because a build can
   * be read and halted without it.
   */
  async of(objectKeys: readonly string[]): Promise<ReadonlyMap<string, BuildMetadata>> {
    if (objectKeys.length === 0) return new Map();
    const found = await withTimeout(
      this.rows.find({ where: { id: { in: objectKeys } } }),
      PATIENCE_MS,
      () => new DocumentStoreUnavailableError('The metadata of builds could not be read in time.'),
    ).catch((error: unknown) => {
      if (error instanceof DocumentStoreUnavailableError) return [];
      throw error;
    });
    return new Map(found.map(({ id, pairs }) => [id, pairs]));
  }

  /**
   * Stores metadata before `append` makes the event that names the object, and erases it when `append` is rejected. After
   * an unknown outcome an event may name it.
   * @throws what `append` throws, DocumentStoreUnavailableError
   */
  async storeThenAppend<Result>(
    objectKey: string,
    pairs: BuildMetadata | undefined,
    append: () => Promise<Result>,
  ): Promise<Result> {
    if (pairs === undefined || Object.keys(pairs).length === 0) return append();
    await this.rows.put({ id: objectKey, pairs });
    try {
      return await append();
    } catch (error) {
      if (error instanceof DomainError && !(error instanceof UnavailableError)) await this.erase(objectKey);
      throw error;
    }
  }

  /** Best effort: what stays is erased by the sweep. */
  async erase(objectKey: string): Promise<void> {
    await this.rows.delete(objectKey).catch(() => false);
  }
}
