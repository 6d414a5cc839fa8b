import { createHash } from 'node:crypto';
import type { Collection, Row } from '@sluice/document-store';
import type { ProjectedRows } from '@sluice/projections';
import type { Position, Revision } from '@sluice/event-store';
import { followedRows, type Change, type Followed } from '@sluice/history';
import { buildRows, storedBuild, type BuildRow, type StoredBuild } from './builds.projection';
import { forkOf } from './revisions';

/** Builds as they stand, in step with the history. */
export const standingBuilds: Collection<Followed<BuildRow>> = followedRows({
  collection: buildRows,
  // The index of a read as of a time contains every column that it filters by.
  indexes: [{ fields: ['stream', 'position', 'since', 'status'] }],
});

/**
 * A build as it once stood, from one event of its channel that changed it to the next, under its id
 * and the position of that next one.
 */
export interface FormerBuildRow extends Omit<StoredBuild, 'release_notes'>, Row {
  readonly stream: string;
  /** As the build's. */
  readonly position: Position;
  readonly from: Revision;
  /** Exclusive. */
  readonly to: Revision;
  /** The revision under which all that stood between from and to can be found. */
  readonly fork: Revision;
  /** The id of the NotesRow. */
  readonly notes: string | null;
}

export const formerBuildRows: Collection<FormerBuildRow> = {
  name: 'formerBuilds',
  indexes: [{ fields: ['stream', 'fork', 'from', 'to', 'position', 'status'] }],
};

/** Release notes that some build had, under their SHA-256: a build's other changes don't repeat them. */
export interface NotesRow extends Row {
  readonly text: string;
}

export const notesRows: Collection<NotesRow> = { name: 'notes', indexes: [] };

export function keepFormerBuild(
  { event, before, after }: Change<BuildRow>,
  rows: Pick<ProjectedRows, 'put' | 'delete'>,
): void {
  const text = after?.release_notes ?? null;
  if (text !== null && text !== before?.release_notes) rows.put(notesRows, { id: idOf(text), text });
  if (before === undefined) return;
  const { stream, position, since } = before;
  const { release_notes, ...build } = storedBuild(before);
  rows.put(formerBuildRows, {
    ...build,
    stream,
    position,
    id: formerId(before.id, event.position),
    from: since,
    to: event.revision,
    fork: forkOf(since, event.revision),
    notes: release_notes === null ? null : idOf(release_notes),
  });
}

/** Those of one build sort in the order of their ends; each is less than the end of all. */
export const formerId = (buildId: string, end: string): string => `${buildId}@${end}`;
export const END_OF_ALL = '~';
export const buildOfFormerId = (id: string): string => id.slice(0, id.indexOf('@'));

const idOf = (text: string): string => createHash('sha256').update(text).digest('hex');
