import type { Channel } from '@sluice/contracts';
import type { AnyCollection, Collection, Index, Row, Where } from '@sluice/document-store';
import type { ProjectedRows, Projection } from '@sluice/projections';
import type { RecordedEvent, Revision } from '@sluice/event-store';
import type { View } from './difference';

/** What an event is about. */
export interface Subject {
  readonly subject: 'app' | 'channel' | 'build' | 'apiKey' | 'signingKey' | 'keystore';
  /** Left out of what an app, or a channel of it, has one of. */
  readonly subjectId?: number;
  readonly channel?: Channel;
}

/** A row of a service's own projection, kept in step with the history. */
export type Followed<R extends Row> = R & {
  readonly stream: string;
  /** Of the event that changed it last. */
  readonly since: Revision;
};

export interface Change<R extends Row> {
  readonly event: RecordedEvent;
  /** Undefined: there was, or is, no such row. */
  readonly before: Followed<R> | undefined;
  readonly after: Followed<R> | undefined;
}

/** Streams whose events one projection of the service makes rows of. */
export interface PartSource<R extends Row> {
  readonly projection: Projection;
  /** The one of its collections that shows what an event changed. */
  readonly collection: Collection<R>;
  /** Whether `put` never replaces a row: it is not looked for then. */
  readonly putsNewRows?: true;
  readonly streams: (appId: number) => readonly string[];
  /** The name under which the entries of many streams of an app are kept as those of one: `streams` names it instead of them. */
  readonly streamOf?: (event: RecordedEvent) => string;
  /** What the names of an app's streams that `streams` can not list begin with. */
  readonly furtherStreams?: (appId: number) => string;
  readonly appOf: (event: RecordedEvent) => number;
  readonly subjectOf: (event: RecordedEvent) => Subject;
  readonly ownerOf?: (row: R) => number;
  readonly view: (row: R) => View;
  /** Of the followed rows, for reads of the service's own. */
  readonly indexes?: readonly Index<Followed<R>>[];
  /** What the service keeps of each change for reads of its own. */
  readonly keeps?: {
    readonly collections: readonly AnyCollection[];
    /** May put rows and delete them; what it puts depends on the change alone. */
    readonly apply: (change: Change<R>, rows: Pick<ProjectedRows, 'put' | 'delete'>) => void;
  };
}

export interface HistoryPart {
  readonly projection: Projection;
  /** Followed rows last. */
  readonly collections: readonly AnyCollection[];
  readonly streams: (appId: number) => readonly string[];
  readonly furtherStreams: ((appId: number) => string) | undefined;
  /** @throws what the projection's `apply` throws */
  apply(event: RecordedEvent, rows: ProjectedRows): Promise<AppliedEvent>;
}

export interface AppliedEvent {
  readonly stream: string;
  readonly appId: number;
  readonly ownerId: number | null;
  readonly subject: Subject;
  /** Undefined: there was, or is, none; both are of an event that changed no row, or many. */
  readonly before: View | undefined;
  readonly after: View | undefined;
}

/** The collection of a part's followed rows. */
export function followedRows<R extends Row>({
  collection,
  indexes = [],
}: Pick<PartSource<R>, 'collection' | 'indexes'>): Collection<Followed<R>> {
  return { name: collection.name, indexes };
}

export function historyPart<R extends Row>(source: PartSource<R>): HistoryPart {
  const { projection, streams, streamOf, furtherStreams, appOf, subjectOf, ownerOf, view, keeps } = source;
  const followed = followedRows(source);
  return {
    projection,
    collections: [...(keeps?.collections ?? []), followed],
    ...{ streams, furtherStreams },
    apply: async (event, rows) => {
      const recorder = new RecordingRows(source, followed, event, rows);
      await projection.apply(event, recorder);
      const changes = await recorder.changes();
      for (const change of changes) keeps?.apply(change, rows);
      const [change] = changes;
      const row = change?.after ?? change?.before;
      const told = changes.length === 1 ? change : undefined;
      return {
        stream: streamOf?.(event) ?? event.stream,
        appId: appOf(event),
        ownerId: row && ownerOf ? ownerOf(row) : null,
        subject: subjectOf(event),
        before: told?.before && view(told.before),
        after: told?.after && view(told.after),
      };
    },
  };
}

/** Hands the writes of one collection on, keeps what they change, and passes over those of all others. */
class RecordingRows<R extends Row> implements ProjectedRows {
  readonly #changes: Change<R>[] = [];
  /** What had to be awaited, in the order of the calls. */
  #work: Promise<void> | undefined;

  constructor(
    private readonly source: PartSource<R>,
    private readonly followed: Collection<Followed<R>>,
    private readonly event: RecordedEvent,
    private readonly rows: ProjectedRows,
  ) {}

  async changes(): Promise<readonly Change<R>[]> {
    await this.#work;
    return this.#changes;
  }

  put<S extends Row>(collection: Collection<S>, row: S): void {
    if (collection.name !== this.followed.name) return;
    const after = this.#follow(row as unknown as R);
    const putNew = () => {
      this.rows.put(this.followed, after);
      this.#record(undefined, after);
    };
    if (this.source.putsNewRows) {
      putNew();
      return;
    }
    void this.#then(async () => {
      const replaced: Followed<R>[] = [];
      await this.rows.update(this.followed, row.id, (before) => {
        replaced.push(before);
        this.#record(before, after);
        return after;
      });
      if (replaced.length === 0) putNew();
    });
  }

  update<S extends Row>(collection: Collection<S>, id: string, change: (row: S) => S | undefined): Promise<void> {
    if (collection.name !== this.followed.name) return Promise.resolve();
    return this.#then(() =>
      this.rows.update(this.followed, id, (before) => {
        const changed = change(before as unknown as S);
        const after = changed && this.#follow(changed as unknown as R);
        this.#record(before, after);
        return after;
      }),
    );
  }

  delete({ name }: AnyCollection, id: string): void {
    if (name !== this.followed.name) return;
    void this.#then(() =>
      this.rows.update(this.followed, id, (before) => {
        this.#record(before, undefined);
        return undefined;
      }),
    );
  }

  /** Without the former rows: it changes many, and an entry shows one. */
  deleteWhere<S extends Row>(collection: Collection<S>, where: Where<S>): Promise<void> {
    if (collection.name !== this.followed.name) return Promise.resolve();
    return this.#then(() => this.rows.deleteWhere(this.followed, where as unknown as Where<Followed<R>>));
  }

  #follow(row: R): Followed<R> {
    return { ...row, stream: this.event.stream, since: this.event.revision };
  }

  /** A row that one event changes twice was what it was before the first time. */
  #record(before: Followed<R> | undefined, after: Followed<R> | undefined): void {
    const id = (before ?? after)?.id;
    const at = this.#changes.findIndex((change) => (change.before ?? change.after)?.id === id);
    if (at < 0) this.#changes.push({ event: this.event, before, after });
    else this.#changes[at] = { event: this.event, before: this.#changes[at]?.before, after };
  }

  #then(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work === undefined ? work() : this.#work.then(work);
    // The caller that awaits the changes gets it too, unless the projection's own fault comes first.
    this.#work.catch(() => undefined);
    return this.#work;
  }
}
