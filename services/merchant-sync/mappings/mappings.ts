import { Injectable } from '@nestjs/common';
import type { Mapping } from '@sluice/contracts';
import { ReadStore } from '@sluice/document-store';
import { mappingRows, type MappingRow, mappingsProjection, toMapping } from '../runs/mappings.projection';
import { SyncLogs } from '../runs/sync-logs';

/** Mappings as clients see them: tombstones left out. */
@Injectable()
export class Mappings {
  constructor(
    private readonly documents: ReadStore,
    private readonly logs: SyncLogs,
  ) {}

  get rows() {
    return this.documents.view(mappingsProjection.name, mappingRows);
  }

  /**
   * A status that did not change makes no event: what the remote side had when its catalogue was last
   * read to its end was seen then.
   */
  async told(rows: readonly MappingRow[]): Promise<Mapping[]> {
    const readAt = await this.logs.catalogReadAt();
    return rows.map((row) => {
      const seen = row.last_status_at;
      const seenAgain = seen !== null && readAt !== null && !row.missing && seen < readAt;
      return toMapping(seenAgain ? { ...row, last_status_at: readAt } : row);
    });
  }
}
