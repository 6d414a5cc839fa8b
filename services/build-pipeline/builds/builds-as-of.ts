import { Inject, Injectable } from '@nestjs/common';
import type { Build, Channel } from '@sluice/contracts';
import { STANDARD_CHANNELS } from '@sluice/kernel';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { type ReadableRows, ReadStore, type Row, type Where } from '@sluice/document-store';
import type { Position } from '@sluice/event-store';
import type { EntryRow, Followed } from '@sluice/history';
import { channelStream } from './domain/channel';
import { history } from './builds.history';
import { toBuild, type BuildRow, type BuildWithoutMetadata } from './builds.projection';
import {
  buildOfFormerId,
  END_OF_ALL,
  formerBuildRows,
  formerId,
  notesRows,
  standingBuilds,
  type FormerBuildRow,
  type NotesRow,
} from './former-builds';
import { forksAround } from './revisions';

export interface ListAsOf {
  readonly appId: number;
  /** ISO 8601. */
  readonly asOf: string;
  /** Default: every channel. */
  readonly channel?: Channel | undefined;
  /** Default: every status. */
  readonly status?: Build['status'] | undefined;
  readonly page: number;
  readonly perPage: number;
}

export interface BuildPage {
  readonly items: readonly BuildWithoutMetadata[];
  readonly total: number;
}

/** Builds as they once stood: each channel as of its last event before the first that came later than the time. */
@Injectable()
export class BuildsAsOf {
  private readonly standing: ReadableRows<Followed<BuildRow>>;
  private readonly former: ReadableRows<FormerBuildRow>;
  private readonly notes: ReadableRows<NotesRow>;

  constructor(
    readonly readStore: ReadStore,
    @Inject(PROJECTIONS) readonly projections: Pick<Projections, 'applied'>,
  ) {
    const { name } = history.projection;
    this.standing = readStore.view(name, standingBuilds);
    this.former = readStore.view(name, formerBuildRows);
    this.notes = readStore.view(name, notesRows);
  }

  /** Newest first. @throws UnavailableError when the read model is behind the app's events and stays so */
  async page({ appId, asOf, channel, status, page, perPage }: ListAsOf): Promise<BuildPage> {
    const streams = channel === undefined ? await this.streamsOf(appId) : [channelStream(appId, channel)];
    const ends = await this.endsAt(streams, asOf);
    const wanted = status === undefined ? {} : { status };
    const stillStanding = ends.map(({ stream, revision }) => ({ stream, since: { lte: revision }, ...wanted }));
    const changedLater = ends.map(({ stream, revision }) => ({
      ...{ stream, fork: { in: forksAround(revision) }, from: { lte: revision }, to: { gt: revision }, ...wanted },
    }));

    const counts = [
      ...stillStanding.map((where) => this.standing.count(where)),
      ...changedLater.map((where) => this.former.count(where)),
    ];
    const total = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    const end = Math.min(page * perPage, total);
    const begin = (page - 1) * perPage;
    if (end <= begin) return { items: [], total };

    // Standing ones first: one that is changed meanwhile is found twice, never missed.
    const standing = await Promise.all(stillStanding.map((where) => newestOf(this.standing, where, end)));
    const former = await Promise.all(changedLater.map((where) => newestOf(this.former, where, end)));
    const rows = new Map<string, BuildRow | FormerBuildRow>();
    for (const row of [...former.flat(), ...standing.flat()]) rows.set(row.position, row);
    const sorted = [...rows.values()].sort((one, other) => (one.position < other.position ? 1 : -1));
    return { items: await this.toBuilds(sorted.slice(begin, end)), total };
  }

  /** Undefined: there was no such build then. @throws as page */
  async one(appId: number, id: number, asOf: string): Promise<BuildWithoutMetadata | undefined> {
    const key = String(id);
    const ends = await this.endsAt(await this.streamsOf(appId), asOf);
    const standing = await this.standing.get(key);
    for (const { id: position, stream, revision } of ends) {
      if (standing?.stream === stream && standing.since <= revision) return toBuild(standing);
      // Of what it was, the first that ended later: it stood then, or the build was not made yet.
      const where = { id: { gt: formerId(key, position), lt: formerId(key, END_OF_ALL) } };
      const [row] = await this.former.find({ where, limit: 1 });
      if (row?.stream === stream && row.from <= revision) return (await this.toBuilds([row]))[0];
    }
    return undefined;
  }

  /** The last event that each channel had then, of those that had any. */
  private async endsAt(streams: readonly string[], asOf: string): Promise<EntryRow[]> {
    const last = streams.map((stream) => history.lastAt(this, stream, asOf));
    return (await Promise.all(last)).filter((entry) => entry !== undefined);
  }

  /** Of all channels that the app has, or had. */
  private async streamsOf(appId: number): Promise<readonly string[]> {
    const standard = STANDARD_CHANNELS.map((channel) => channelStream(appId, channel));
    return [...standard, ...(await history.furtherStreams(this, appId))];
  }

  private async toBuilds(rows: readonly (BuildRow | FormerBuildRow)[]): Promise<BuildWithoutMetadata[]> {
    const ids = new Set(rows.flatMap((row) => ('notes' in row ? (row.notes ?? []) : [])));
    const found = ids.size === 0 ? [] : await this.notes.find({ where: { id: { in: [...ids] } } });
    const texts = new Map(found.map(({ id, text }) => [id, text]));
    return rows.map((row) =>
      'notes' in row
        ? toBuild({ ...row, id: buildOfFormerId(row.id), release_notes: texts.get(row.notes ?? '') ?? null })
        : toBuild(row),
    );
  }
}

/** By their ids first, which the indexes tell: of all that match, the newest alone are read. */
async function newestOf<R extends Row & { readonly position: Position }>(
  rows: ReadableRows<R>,
  where: Where<R>,
  limit: number,
): Promise<R[]> {
  const ids = await rows.ids({ where, sort: [['position', 'desc']], limit });
  return ids.length === 0 ? [] : rows.find({ where: { id: { in: ids } } });
}
