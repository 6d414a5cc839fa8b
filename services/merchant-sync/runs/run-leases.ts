import type { Collection, Row } from '@sluice/document-store';

/** The process that works on a run, and its heartbeat; by run id. It is deleted with the run. */
export interface RunLeaseRow extends Row {
  readonly holder: string;
  /** ISO 8601, for people: others count on their own clock from each change that they see. */
  readonly heartbeat_at: string;
  readonly items_read: number;
  readonly items_expected: number;
}

/** In the state store. Safety rests on the run's own stream. */
export const runLeases: Collection<RunLeaseRow> = { name: 'syncRunLeases', indexes: [] };
