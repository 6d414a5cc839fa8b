import { announcedChanges, type AnnouncedChanges, type AnnouncingService, type Change } from '@sluice/contracts';
import type { RecordedEvent } from '@sluice/event-store';

/** A change, and the service whose projections show it. */
export interface RoutedChange extends Change {
  readonly owningService: AnnouncingService;
  /** `app` is null here: the stream's first event names it. */
  readonly appInFirstEvent: boolean;
}

const BY_PREFIX = new Map(
  (Object.entries(announcedChanges) as [AnnouncingService, AnnouncedChanges][]).flatMap(([owningService, changes]) =>
    Object.entries(changes).map(([prefix, change]) => [prefix, { ...change, owningService }] as const),
  ),
);

/** Undefined where nothing that clients are shown has changed. */
export function changeOf({
  stream,
  type,
  data,
}: Pick<RecordedEvent, 'stream' | 'type' | 'data'>): RoutedChange | undefined {
  const [category = '', subject] = stream.split('-', 2);
  const announced = BY_PREFIX.get(subject === undefined ? category : `${category}-`);
  const change = announced?.of({ subject: subject ?? '', type, data });
  if (announced === undefined || change === undefined) return undefined;
  const { topic, owningService, appInFirstEvent = false } = announced;
  const { app, id } = change;
  return {
    ...{ topic, app, owningService, appInFirstEvent },
    ...((typeof id === 'number' || typeof id === 'string') && { id }),
  };
}
