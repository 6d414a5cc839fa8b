import { createHash } from 'node:crypto';
import type { Collection, Row, StateStore } from '@sluice/document-store';
import { LRUCache } from 'lru-cache';
import { beginningWith } from './domain/report';

/** The text of an error that devices reported for one metric on one day. The id is `appId/day/metric/errorId`. */
export interface ReportError extends Row {
  /** UTC, `2026-01-31` */
  readonly day: string;
  readonly text: string;
  /** When it was first reported, ISO 8601. Rows of an earlier release have no times. */
  readonly firstAt?: string;
  /** When it was last reported by a device that had not reported it before. */
  readonly lastAt?: string;
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
  async intern(source: ErrorSource, text: string, at: string): Promise<string> {
    const { day } = source;
    const prefix = errorTextId(source, '');
    const known = await this.knownTexts(prefix);
    const errorId = createHash('sha256').update(text).digest('base64url').slice(0, 16);
    if (known.has(errorId)) return errorId;
    if (known.size >= MAX_TEXTS) return OTHER_ERRORS;
    known.add(errorId);
    try {
      await this.state.rows(reportErrors).put({ id: prefix + errorId, day, text, firstAt: at, lastAt: at }, 'absent');
    } catch (error) {
      known.delete(errorId);
      throw error;
    }
    return errorId;
  }

  /** Notes the time of the last report with each text, which may have been deleted meanwhile. */
  async noteTimes(
    reports: readonly (ErrorSource & {
      readonly errorId?: string;
      readonly text: string | undefined;
      readonly at: string;
    })[],
  ): Promise<void> {
    const times = new Map<string, ReportError>();
    for (const { errorId, text, at, ...source } of reports) {
      if (errorId === undefined || errorId === OTHER_ERRORS || text === undefined) continue;
      const id = errorTextId(source, errorId);
      times.set(id, { id, day: source.day, text, lastAt: at });
    }
    if (times.size > 0) await this.state.rows(reportErrors).merge([...times.values()]);
  }

  /** By `appId/day/metric/errorId`; what was never kept, or is no longer, is left out. */
  async find(ids: readonly string[]): Promise<ReadonlyMap<string, ReportError>> {
    const found = new Map<string, ReportError>();
    for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
      const where = { id: { in: ids.slice(start, start + IDS_PER_QUERY) } };
      for (const row of await this.state.rows(reportErrors).find({ where })) found.set(row.id, row);
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
