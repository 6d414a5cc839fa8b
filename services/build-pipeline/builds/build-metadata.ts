import { Injectable } from '@nestjs/common';
import type { Build, BuildMetadata } from '@sluice/contracts';
import { type Collection, type Row, type Rows, StateStore } from '@sluice/document-store';
import { DomainError, UnavailableError } from '@sluice/kernel';
import type { BuildWithoutMetadata } from './builds.projection';

/** What the upload of a build stated about its origin; `id` spells the integer id of the build. */
export interface BuildMetadataRow extends Row {
  readonly pairs: BuildMetadata;
}

export const buildMetadataRows: Collection<BuildMetadataRow> = { name: 'buildMetadata', indexes: [] };

/**
 * The metadata of builds. It names authors, so it is in the state store and not in an event, and is erased with the
 * build. A row is written before the event that makes its build; OrphanSweep deletes what no build has.
 */
@Injectable()
export class StoredMetadata {
  private readonly rows: Rows<BuildMetadataRow>;

  constructor(state: StateStore) {
    this.rows = state.rows(buildMetadataRows);
  }

  /** By build, those without metadata left out. @throws DocumentStoreUnavailableError */
  async of(builds: readonly number[]): Promise<ReadonlyMap<number, BuildMetadata>> {
    const ids = builds.map(String);
    const found = ids.length === 0 ? [] : await this.rows.find({ where: { id: { in: ids } } });
    return new Map(found.map(({ id, pairs }) => [Number(id), pairs]));
  }

  /** @throws DocumentStoreUnavailableError */
  async addTo(builds: readonly BuildWithoutMetadata[]): Promise<Build[]> {
    const metadata = await this.of(builds.map(({ id }) => id));
    return builds.map((build) => ({ ...build, metadata: metadata.get(build.id) ?? {} }));
  }

  /**
   * Stores the metadata of a build that `append` makes, and erases it when `append` is rejected. After an unknown outcome
   * there may be such a build.
   * @throws what `append` throws, DocumentStoreUnavailableError
   */
  async storeThenAppend<Result>(
    build: number,
    pairs: BuildMetadata | undefined,
    append: () => Promise<Result>,
  ): Promise<Result> {
    if (pairs === undefined || Object.keys(pairs).length === 0) return append();
    await this.rows.put({ id: String(build), pairs });
    try {
      return await append();
    } catch (error) {
      if (error instanceof DomainError && !(error instanceof UnavailableError)) await this.erase(build);
      throw error;
    }
  }

  /** Best effort: what stays is deleted by the sweep. */
  async erase(build: number): Promise<void> {
    await this.rows.delete(String(build)).catch(() => false);
  }
}
