import { INSTALLATIONS_REPORTED } from '@sluice/contracts';
import type { Collection, Row, Rows, StateStore } from '@sluice/document-store';
import { coerceVersion, UnavailableError, type Clock, type Logger } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { reportsWaiting, reportWrites } from '@sluice/telemetry';
import { BUILDS, dayOf, metricOf, readMetric, type Report } from './domain/report';
import type { DevicePlatform } from '../serving/domain/select-build';
import { deviceStates, stateIdOf, type DeviceState } from './device-states';
import { ReportErrors } from './report-errors';
import type { ReportOfDevice } from './rolled-back-devices';

/**
 * One report of one device. The id is made of the app, the device and the metric, so that a repeated report has the
 * same id. An active device has one row a day, under `active` and the day, with what it reported last.
 */
export interface DeviceReport extends Row {
  readonly appId: number;
  /** `build/7/installs`, `version/1.2.0 ios 3.1.0` */
  readonly metric: string;
  /** UTC, `2026-01-31` */
  readonly day: string;
  /** HashedDevice.hash. */
  readonly device: string;
  /** ISO 8601. */
  readonly at: string;
  /** The error, as stored by ReportErrors. */
  readonly errorId?: string;
  /** The error text itself, in rows of an earlier release. */
  readonly error?: string;
  readonly previousVersion?: string;
  /** Of an installation: HashedDevice.address of the client's address. Rows of an earlier release have none. */
  readonly address?: string;
  /** The device did not send it: an update check allowed the conclusion. */
  readonly inferred?: true;
}

/** In the state store. */
export const deviceReports: Collection<DeviceReport> = {
  name: 'deviceReports',
  indexes: [{ fields: ['day', 'appId', 'metric'], unordered: true }],
};

/** Prefix of the ids of one device of an app, by which its rows are found without an index of their own. */
export function idsOf(appId: number, device: string): string {
  return `${appId}/${device}/`;
}

/** Ids of one query. */
const AT_ONCE = 500;

/** The reports with this metric that these devices of an app have. */
export async function reportsOfDevices(
  state: StateStore,
  appId: number,
  metric: string,
  devices: readonly string[],
): Promise<DeviceReport[]> {
  const found: DeviceReport[] = [];
  for (let from = 0; from < devices.length; from += AT_ONCE) {
    const ids = devices.slice(from, from + AT_ONCE).map((device) => idsOf(appId, device) + metric);
    found.push(...(await state.rows(deviceReports).find({ where: { id: { in: ids } } })));
  }
  return found;
}

export interface ReportDetails {
  readonly error?: string | undefined;
  readonly previousVersion?: string | undefined;
  /** Hash of the client's address; only of installations. */
  readonly address?: string | undefined;
  /** Of the build that it downloaded or installed. */
  readonly buildVersion?: string | undefined;
  /** Of that build, or the only one of the API key. */
  readonly channel?: string | undefined;
  readonly keyId?: number | undefined;
  readonly platform?: DevicePlatform | undefined;
  /** Of the native app, in canonical form. */
  readonly nativeVersion?: string | undefined;
  /** True: the device did not send it. Left out: false. */
  readonly inferred?: boolean;
}

interface Waiting {
  /** To store unless it or one of the other ids exists. */
  readonly row: DeviceReport;
  /** The text that it reports. */
  readonly error: string | undefined;
  /** Ids of the same row under other versions of the device's hash. */
  readonly otherIds: readonly string[];
  /** Of an active device: the stored row gets what this one reports. */
  readonly replaces: boolean;
  readonly state: DeviceState;
  /** Ids of the state under other versions of the device's hash. */
  readonly otherStates: readonly string[];
  readonly reported: ReportOfDevice;
  readonly recorded: () => void;
  readonly failed: (error: unknown) => void;
}

const NONE: readonly string[] = [];
const BATCH = 500;
/** Limit of reports in batches that are being written: the next batch is filled while those are committed. */
const SHARE = 24;
const MAX_ABREAST = 3;
/** About 15 MB of reports with the longest ids and errors. */
const MAX_WAITING = 10_000;

/**
 * Writes reports to the state store, those of many requests in one transaction. Reports that arrive while batches
 * are being written wait until there are enough for a batch, or until the last of those is written. Each report
 * also overwrites the state of its device, and a rollback is kept with it.
 */
export class DeviceReports {
  private readonly waiting: Waiting[] = [];
  private readonly rows: Rows<DeviceReport>;
  private readonly states: Rows<DeviceState>;
  private readonly errors: ReportErrors;
  private abreast = 0;

  constructor(
    private readonly options: {
      readonly state: StateStore;
      readonly clock: Clock;
      readonly maxWaiting?: number;
      /** Counts the new rows of an app. */
      readonly budgets?: { wrote(appId: number, rows: number): void };
      /** Told of new reports of installations. */
      readonly messaging?: Pick<Messaging, 'announce'>;
      readonly logger?: Pick<Logger, 'warn'>;
      readonly rolledBack?: { write(reports: readonly ReportOfDevice[]): Promise<void> };
    },
  ) {
    this.rows = options.state.rows(deviceReports);
    this.states = options.state.rows(deviceStates);
    this.errors = new ReportErrors(options.state);
  }

  /**
   * Resolves with the time of the report once it is durable, or with the earlier time of the same report, which
   * counts once.
   * @param otherHashes of the same device: a report that is stored under one of them is not stored again
   * @throws UnavailableError when too many reports wait; the store's error when it is unavailable
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
      throw new UnavailableError('The server receives more reports than it can store. Send the report again shortly.');
    }
    const at = clock.now();
    const { error, previousVersion, address, inferred = false } = details;
    const source = { appId, day: dayOf(at), metric: metricOf(report) };
    const errorId = error === undefined ? undefined : await this.errors.intern(source, error, at.toISOString());
    const facts = { appId, metric: source.metric, day: source.day, at: at.toISOString() };
    const replaces = report.kind === 'active';
    const rest = replaces ? `active/${facts.day}` : facts.metric;
    const row: DeviceReport = {
      ...{ id: idsOf(appId, device) + rest, ...facts, device },
      ...(errorId !== undefined && { errorId }),
      ...(previousVersion !== undefined && { previousVersion }),
      ...(address !== undefined && { address }),
      ...(inferred && { inferred }),
    };
    const otherIds = otherHashes.length === 0 ? NONE : otherHashes.map((other) => idsOf(appId, other) + rest);
    const state = stateAfter(report, { id: stateIdOf(appId, device), appId, day: facts.day, at: facts.at }, details);
    const otherStates = otherHashes.length === 0 ? NONE : otherHashes.map((other) => stateIdOf(appId, other));
    await new Promise<void>((recorded, failed) => {
      const reported = { appId, device, otherHashes, report };
      this.waiting.push({ row, error, otherIds, replaces, state, otherStates, reported, recorded, failed });
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
      const [stored] = await Promise.all([
        this.store(batch),
        this.overwriteStates(batch),
        this.options.rolledBack?.write(batch.map(({ reported }) => reported)),
      ]);
      written();
      this.count(stored);
      this.announce(stored);
      await this.noteTimes(stored, batch);
      for (const { recorded } of batch) recorded();
    } catch (error) {
      for (const { failed } of batch) failed(error);
    }
    this.abreast -= 1;
    if (this.waiting.length > 0 && (this.abreast === 0 || this.isNextDue())) void this.write();
  }

  /** The reports are stored also where it fails. */
  private async noteTimes(stored: readonly DeviceReport[], batch: readonly Waiting[]): Promise<void> {
    const texts = new Map(batch.map(({ row: { errorId }, error }) => [errorId, error]));
    try {
      await this.errors.noteTimes(stored.map((row) => ({ ...row, text: texts.get(row.errorId) })));
    } catch (error) {
      this.options.logger?.warn({ err: error }, 'The times of reported errors could not be stored');
    }
  }

  /** Returns the rows that did not exist yet. */
  private async store(batch: readonly Waiting[]): Promise<DeviceReport[]> {
    const elsewhere = await this.find(batch.flatMap(({ otherIds }) => otherIds));
    const held = ({ otherIds }: Waiting): DeviceReport | undefined =>
      otherIds.map((id) => elsewhere.get(id)).find((row) => row !== undefined);
    const wanted = new Map<string, Waiting>();
    for (const each of batch) if (each.replaces || !wanted.has(each.row.id)) wanted.set(each.row.id, each);
    const missing = [...wanted.values()].filter((each) => held(each) === undefined);
    const written = await this.put(missing.map(({ row }) => row));

    // The day's row of each other active device may have another version.
    const active = [...wanted.values()].filter(({ row, replaces }) => replaces && !written.has(row.id));
    const earlier = await this.find(active.flatMap((each) => (held(each) === undefined ? [each.row.id] : [])));
    const changed = new Map<string, DeviceReport>();
    for (const each of active) {
      const ofDay = held(each) ?? earlier.get(each.row.id);
      const { metric, at } = each.row;
      if (ofDay !== undefined && ofDay.metric !== metric && ofDay.at <= at) {
        changed.set(ofDay.id, { ...ofDay, metric, at });
      }
    }
    if (changed.size > 0) await this.rows.merge([...changed.values()]);
    return [...written.values()];
  }

  private async overwriteStates(batch: readonly Waiting[]): Promise<void> {
    const states = new Map<string, DeviceState>();
    const moved: string[] = [];
    const others = batch.flatMap(({ otherStates }) => otherStates);
    if (others.length > 0) {
      const found = await this.states.find({ where: { id: { in: others } }, sort: [['at', 'asc']] });
      for (const { state, otherStates } of batch) {
        const earlier = found.filter(({ id }) => otherStates.includes(id));
        for (const each of earlier) states.set(state.id, { ...states.get(state.id), ...each, id: state.id });
        moved.push(...earlier.map(({ id }) => id));
      }
    }
    for (const { state } of batch) states.set(state.id, { ...states.get(state.id), ...state });
    await this.states.merge([...states.values()]);
    if (moved.length > 0) await this.states.deleteWhere({ id: { in: moved } });
  }

  /** Returns those that did not exist yet, by id. */
  private async put(rows: readonly DeviceReport[]): Promise<ReadonlyMap<string, DeviceReport>> {
    if (rows.length === 0) return new Map();
    const written = new Set(await this.rows.putMany(rows, 'absent'));
    return new Map(rows.filter(({ id }) => written.has(id)).map((row) => [row.id, row]));
  }

  private async find(ids: readonly string[]): Promise<ReadonlyMap<string, DeviceReport>> {
    if (ids.length === 0) return new Map();
    const rows = await this.rows.find({ where: { id: { in: ids } } });
    return new Map(rows.map((row) => [row.id, row]));
  }

  private announce(stored: readonly DeviceReport[]): void {
    const { messaging } = this.options;
    if (messaging === undefined) return;
    const builds = buildsOf(stored);
    if (builds.length > 0) messaging.announce(INSTALLATIONS_REPORTED, { builds });
  }

  private count(stored: readonly DeviceReport[]): void {
    const { budgets } = this.options;
    if (budgets === undefined) return;
    const rows = new Map<number, number>();
    for (const { appId } of stored) rows.set(appId, (rows.get(appId) ?? 0) + 1);
    for (const [appId, count] of rows) budgets.wrote(appId, count);
  }
}

/** The builds whose installations ended on devices. */
function buildsOf(stored: readonly DeviceReport[]): number[] {
  const builds = new Set<number>();
  for (const { metric } of stored) {
    if (!metric.startsWith(BUILDS)) continue;
    const read = readMetric(metric);
    if (read.report === 'install') builds.add(read.buildId);
  }
  return [...builds];
}

/** The state of the device that the report describes. */
function stateAfter(
  report: Report,
  reported: Pick<DeviceState, 'id' | 'appId' | 'day' | 'at'>,
  { buildVersion, previousVersion, platform, nativeVersion, channel, keyId }: ReportDetails,
): DeviceState {
  const seen = { ...reported, ...(channel !== undefined && { channel }), ...(keyId !== undefined && { keyId }) };
  if (report.kind === 'active') {
    const { version, platform: active, nativeVersion: native } = report;
    return { ...seen, version, platform: active, ...(native !== undefined && { nativeVersion: native }) };
  }
  let version: string | undefined;
  if (report.kind === 'install' && report.status === 'complete') version = buildVersion;
  if (report.kind === 'install' && report.status === 'rollback') version = coerceVersion(previousVersion ?? '') ?? '';
  return {
    ...{ ...seen, outcome: metricOf(report) },
    ...(version !== undefined && { version }),
    ...(report.kind === 'install' && report.status === 'complete' && { installed: report.buildId }),
    ...(platform !== undefined && { platform }),
    ...(nativeVersion !== undefined && { nativeVersion }),
  };
}
