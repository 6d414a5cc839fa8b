import type { Collection, DocumentStore, Row, Rows } from '@sluice/document-store';
import { UnavailableError, type Clock } from '@sluice/kernel';
import { reportsWaiting, reportWrites } from '@sluice/telemetry';
import { dayOf, metricOf, type Report } from '../domain/report';
import { ReportErrors } from './report-errors';

/**
 * One thing that one device reported. The id is made of the app, the device and the metric (of a
 * device that is active, of the day too): the same report again has the same id.
 */
export interface DeviceReport extends Row {
  readonly appId: number;
  /** `build/7/installs`, `version/1.2.0` */
  readonly metric: string;
  /** UTC, `2026-01-31` */
  readonly day: string;
  /** HashedDevice.hash. */
  readonly device: string;
  /** ISO 8601. */
  readonly at: string;
  /** What went wrong, as ReportErrors keeps it. */
  readonly errorId?: string;
  /** The text itself, in rows that an earlier release wrote. */
  readonly error?: string;
  readonly previousVersion?: string;
}

/** In the state store. */
export const deviceReports: Collection<DeviceReport> = {
  name: 'deviceReports',
  indexes: [{ fields: ['day', 'appId', 'metric'], unordered: true }],
};

/** Begins the ids of what one device of an app reported, and of no other: they are found without an index of their own. */
export function idsOf(appId: number, device: string): string {
  return `${appId}/${device}/`;
}

export interface ReportDetails {
  readonly error?: string | undefined;
  readonly previousVersion?: string | undefined;
}

interface Waiting {
  readonly row: DeviceReport;
  /** Ids of the same report under other versions of the device's hash. */
  readonly otherIds: readonly string[];
  readonly recorded: () => void;
  readonly failed: (error: unknown) => void;
}

const NONE: readonly string[] = [];
const BATCH = 500;
/** So many reports leave while other batches are on their way: the next is read while those are committed. */
const SHARE = 24;
const MAX_ABREAST = 3;
/** About 15 MB of reports with the longest ids and errors. */
const MAX_WAITING = 10_000;

/**
 * Writes reports to the state store, many requests' in one transaction: what comes while batches are
 * on their way to the disk waits until it is a share worth a batch, or the last of them is there.
 */
export class DeviceReports {
  private readonly waiting: Waiting[] = [];
  private readonly rows: Rows<DeviceReport>;
  private readonly errors: ReportErrors;
  private abreast = 0;

  constructor(
    private readonly options: {
      readonly state: DocumentStore;
      readonly clock: Clock;
      readonly maxWaiting?: number;
      /** Told how many new rows an app has. */
      readonly wrote?: (appId: number, rows: number) => void;
    },
  ) {
    this.rows = options.state.rows(deviceReports);
    this.errors = new ReportErrors(options.state);
  }

  /**
   * Resolves with the time of the report once it is durable, or was before: the same report again
   * counts once.
   * @param otherHashes of the same device: a report that is stored under one of them is there already
   * @throws UnavailableError when too many reports wait; the store's error when it is away
   */
  async record(
    appId: number,
    device: string,
    report: Report,
    details: ReportDetails = {},
    otherHashes: readonly string[] = NONE,
  ): Promise<Date> {
    const { clock, maxWaiting = MAX_WAITING } = this.options;
    if (this.waiting.length >= maxWaiting) {
      throw new UnavailableError('More reports come than can be stored. Send it again shortly.');
    }
    const at = clock.now();
    const { error, previousVersion } = details;
    const source = { appId, day: dayOf(at), metric: metricOf(report) };
    const errorId = error === undefined ? undefined : await this.errors.intern(source, error);
    const row = rowOf(appId, device, report, at, { errorId, previousVersion });
    const otherIds =
      otherHashes.length === 0 ? NONE : otherHashes.map((other) => idOf(appId, other, report, source.day));
    await new Promise<void>((recorded, failed) => {
      this.waiting.push({ row, otherIds, recorded, failed });
      reportsWaiting.inc();
      if (this.abreast === 0 || this.isNextDue()) void this.write();
    });
    return at;
  }

  private isNextDue(): boolean {
    return this.waiting.length >= SHARE && this.abreast < MAX_ABREAST;
  }

  private async write(): Promise<void> {
    const batch = this.waiting.splice(0, BATCH);
    this.abreast += 1;
    reportsWaiting.dec(batch.length);
    const written = reportWrites.startTimer();
    try {
      const ids = await this.rows.putMany(
        (await this.unstored(batch)).map(({ row }) => row),
        'absent',
      );
      written();
      this.count(batch, ids);
      for (const { recorded } of batch) recorded();
    } catch (error) {
      for (const { failed } of batch) failed(error);
    }
    this.abreast -= 1;
    if (this.waiting.length > 0 && (this.abreast === 0 || this.isNextDue())) void this.write();
  }

  /** Without those that are stored under another version of the device's hash. */
  private async unstored(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    const ids = batch.flatMap(({ otherIds }) => otherIds);
    if (ids.length === 0) return batch;
    const stored = new Set(await this.rows.ids({ where: { id: { in: ids } } }));
    return batch.filter(({ otherIds }) => !otherIds.some((id) => stored.has(id)));
  }

  private count(batch: readonly Waiting[], written: readonly string[]): void {
    const { wrote } = this.options;
    if (wrote === undefined) return;
    const appOf = new Map(batch.map(({ row }) => [row.id, row.appId]));
    const rows = new Map<number, number>();
    for (const id of written) {
      const appId = appOf.get(id);
      if (appId !== undefined) rows.set(appId, (rows.get(appId) ?? 0) + 1);
    }
    for (const [appId, count] of rows) wrote(appId, count);
  }
}

function idOf(appId: number, device: string, report: Report, day: string): string {
  return `${idsOf(appId, device)}${metricOf(report)}${report.kind === 'active' ? `/${day}` : ''}`;
}

function rowOf(
  appId: number,
  device: string,
  report: Report,
  at: Date,
  details: { readonly errorId: string | undefined; readonly previousVersion: string | undefined },
): DeviceReport {
  const metric = metricOf(report);
  const day = dayOf(at);
  const { errorId, previousVersion } = details;
  return {
    id: idOf(appId, device, report, day),
    appId,
    metric,
    day,
    device,
    at: at.toISOString(),
    ...(errorId !== undefined && { errorId }),
    ...(previousVersion !== undefined && { previousVersion }),
  };
}
