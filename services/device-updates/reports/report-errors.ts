import { createHash } from 'node:crypto';
import type { Collection, Row, StateStore } from '@sluice/document-store';
import { LRUCache } from 'lru-cache';
import { beginningWith } from './domain/report';

/** The text of an error that devices reported for one metric on one day. The id is `appId/day/metric/errorId`. */
export interface ReportError extends Row {
  /** UTC, `2026-01-31` */
  readonly day: string;
  readonly text: string;
}

/** In the state store. */
export const reportErrors: Collection<ReportError> = {
  name: 'reportErrors',
  indexes: [{ fields: ['day'], unordered: true }],
};

/** In place of the id of a text: all texts of a metric and day beyond those that are kept. */
export const OTHER_ERRORS = 'other';
/** Shown in place of the texts that were not kept. */
export const OTHER_TEXT = '(other errors)';

export interface ErrorSource {
  readonly appId: number;
  readonly day: string;
  readonly metric: string;
}

export function errorTextId({ appId, day, metric }: ErrorSource, errorId: string): string {
  return `${appId}/${day}/${metric}/${errorId}`;
}

/** Of one metric and day. A stranger with the app's key chooses the texts, so there may be as many as reports. */
const MAX_TEXTS = 100;
/** Metrics and days whose texts are remembered: some 20 MB at most. */
const REMEMBERED = 4_000;
const IDS_PER_QUERY = 500;

/** Keeps each text of an error once, so that a report holds its id alone. */
export class ReportErrors {
  private readonly known = new LRUCache<string, Promise<Set<string>>>({ max: REMEMBERED });

  constructor(private readonly state: StateStore) {}

  /**
   * Resolves with the id of the text once the text is durable, or with OTHER_ERRORS when 100 other texts of this
   * metric and day are kept. Each process counts what it knows, so a few more may be kept.
   */
  async intern(source: ErrorSource, text: string): Promise<string> {
    const { day } = source;
    const prefix = errorTextId(source, '');
    const known = await this.knownTexts(prefix);
    const errorId = createHash('sha256').update(text).digest('base64url').slice(0, 16);
    if (known.has(errorId)) return errorId;
    if (known.size >= MAX_TEXTS) return OTHER_ERRORS;
    known.add(errorId);
    try {
      await this.state.rows(reportErrors).put({ id: prefix + errorId, day, text }, 'absent');
    } catch (error) {
      known.delete(errorId);
      throw error;
    }
    return errorId;
  }

  /** The texts by `appId/day/metric/errorId`; what was never kept, or is no longer, is left out. */
  async texts(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
      const where = { id: { in: ids.slice(start, start + IDS_PER_QUERY) } };
      for (const { id, text } of await this.state.rows(reportErrors).find({ where })) found.set(id, text);
    }
    return found;
  }

  private knownTexts(prefix: string): Promise<Set<string>> {
    const remembered = this.known.get(prefix);
    if (remembered !== undefined) return remembered;
    const loading = this.state
      .rows(reportErrors)
      .find({ where: { id: beginningWith(prefix) }, limit: MAX_TEXTS })
      .then((rows) => new Set(rows.map(({ id }) => id.slice(prefix.length))));
    this.known.set(prefix, loading);
    loading.catch(() => this.known.delete(prefix));
    return loading;
  }
}
