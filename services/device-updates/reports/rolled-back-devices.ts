import type { BuildEvent } from '@sluice/contracts';
import type { Collection, Rows, StateStore } from '@sluice/document-store';
import type { EventStore, Recorded } from '@sluice/event-store';
import type { Clock, Logger } from '@sluice/kernel';
import { type RunningProcess, startProcess } from '@sluice/projections';
import type { Messaging } from '@sluice/messaging';
import { rollbacksNotStored } from '@sluice/telemetry';
import { devicePins } from '../devices/device-pins';
import { FollowedRows } from '../devices/followed-rows';
import { Rollbacks, type RolledBackDevice } from '../serving/rollbacks';
import type { ServedBuilds } from '../serving/served-builds';
import type { ServingBuild } from '../serving/serving.projection';
import { deleteInParts } from './delete-in-parts';
import { beginningWith, type Report } from './domain/report';

/** In the state store. */
export const rolledBackDevices: Collection<RolledBackDevice> = {
  name: 'rolledBackDevices',
  indexes: [{ fields: ['at'] }, { fields: ['device'], unordered: true }],
};

export interface RolledBackDevicesOptions {
  readonly index: { readonly builds: Pick<ServedBuilds, 'find' | 'rollbacks'> };
  readonly events: EventStore;
  /** The state store. */
  readonly state: StateStore;
  readonly messaging: Pick<Messaging, 'listen'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For tests. */
  readonly max?: { readonly ofApp: number; readonly ofAll: number };
}

export interface ReportOfDevice {
  readonly appId: number;
  /** HashedDevice.hash, and what it may be stored under in addition. */
  readonly device: string;
  readonly otherHashes: readonly string[];
  readonly report: Report;
}

/** A client with the app's key can report as many devices as the limits allow. In memory, a device takes about 100 bytes. */
const MAX = { ofApp: 100_000, ofAll: 500_000 };

/**
 * Keeps which devices rolled which builds back, so that they are not offered these again. A row is kept as long as the
 * state of its device, because each day's first report writes it again.
 */
export class RolledBackDevices {
  private readonly rows: Rows<RolledBackDevice>;
  private readonly known: Rollbacks;
  private readonly followed: FollowedRows<RolledBackDevice, Rollbacks>;
  private sweep: RunningProcess | undefined;
  private readonly warned = new Set<number>();

  constructor(private readonly options: RolledBackDevicesOptions) {
    const { state, messaging, clock, logger } = options;
    this.known = options.index.builds.rollbacks;
    this.followed = new FollowedRows({
      ...{ collection: rolledBackDevices, held: this.known, empty: () => new Rollbacks() },
      ...{ state, messaging, clock, logger },
      fault: 'Devices that rolled builds back could not be read; the ones that are known are used',
    });
    this.rows = this.followed.rows;
  }

  /** Resolves once the rows were read, or could not be; from then on they are followed. */
  async open(): Promise<void> {
    await this.followed.open();
    const { events, state, logger } = this.options;
    const process = {
      name: 'rolled-back-devices',
      prefixes: ['channel-'],
      react: (event: Recorded<BuildEvent>, stopping: AbortSignal) => this.deleteObsolete(event, stopping),
    };
    this.sweep = await startProcess({ events, state, logger, process });
  }

  async close(): Promise<void> {
    await Promise.all([this.sweep?.close(), this.followed.close()]);
  }

  /**
   * Stores what these reports say about rollbacks; a repeated one changes nothing.
   * @throws the store's error when it is unavailable
   */
  async write(reports: readonly ReportOfDevice[]): Promise<void> {
    const at = this.options.clock.now().getTime();
    await this.renew(reports, at);
    const { builds } = this.options.index;
    const rows = new Map<string, RolledBackDevice>();
    for (const { appId, device, otherHashes, report } of reports) {
      if (report.kind !== 'install' || report.status !== 'rollback') continue;
      const build = builds.find(report.buildId)?.facts;
      if (build === undefined || otherHashes.some((hash) => this.known.has(build, hash))) continue;
      const row = rowOf(build, device, at);
      if (this.known.has(build, device) || this.hasRoom(appId, rows.size)) rows.set(row.id, row);
    }
    if (rows.size === 0) return;
    await this.rows.putMany([...rows.values()], 'absent');
    for (const row of rows.values()) this.followed.add(row);
  }

  /** Once a day, the known rows of a device that reports anything are written again, under the hash that writes now. */
  private async renew(reports: readonly ReportOfDevice[], at: number): Promise<void> {
    const due: { readonly before: RolledBackDevice; readonly after: RolledBackDevice }[] = [];
    for (const { appId, device, otherHashes } of reports) {
      for (const buildId of this.known.buildsOf(appId)) {
        const build = this.options.index.builds.find(buildId)?.facts;
        if (build === undefined) continue;
        for (const hash of [device, ...otherHashes]) {
          if (!this.known.has(build, hash)) continue;
          if (hash === device && this.known.isOfDay(build, hash, at)) continue;
          due.push({ before: rowOf(build, hash, at), after: rowOf(build, device, at) });
        }
      }
    }
    if (due.length === 0) return;
    // A device that was forgotten meanwhile stays forgotten.
    const stored = new Set(await this.rows.ids({ where: { id: { in: due.map(({ before }) => before.id) } } }));
    const rows = new Map(due.flatMap(({ before, after }) => (stored.has(before.id) ? [[after.id, after]] : [])));
    if (rows.size > 0) await this.rows.putMany([...rows.values()]);
    for (const row of rows.values()) this.followed.add(row);
    const former = due.map(({ before }) => before).filter(({ id }) => !rows.has(id));
    if (former.length > 0) await this.rows.deleteWhere({ id: { in: former.map(({ id }) => id) } });
    for (const row of former) this.known.delete(row);
  }

  private hasRoom(appId: number, waiting: number): boolean {
    const { max = MAX, logger } = this.options;
    if (this.known.size + waiting < max.ofAll && this.known.sizeOf(appId) + waiting < max.ofApp) return true;
    rollbacksNotStored.inc();
    if (!this.warned.has(appId)) {
      this.warned.add(appId);
      logger.warn(`Too many devices rolled builds back: further devices of app ${appId} may be offered these again`);
    }
    return false;
  }

  private async deleteObsolete(event: Recorded<BuildEvent>, stopping: AbortSignal): Promise<void> {
    if (event.type !== 'BuildDeleted' && event.type !== 'BuildRetried') return;
    const [, appId] = event.stream.split('-');
    const ofBuild = `${appId}/${event.data.buildId}/`;
    const prefix = event.type === 'BuildDeleted' ? ofBuild : `${ofBuild}${event.data.retries - 1}/`;
    await deleteInParts(this.rows, { id: beginningWith(prefix) }, stopping);
    if (event.type === 'BuildDeleted') {
      await deleteInParts(this.options.state.rows(devicePins), { id: beginningWith(ofBuild) }, stopping);
    }
    stopping.throwIfAborted();
  }
}

function rowOf({ appId, buildId, retries = 0 }: ServingBuild, device: string, at: number): RolledBackDevice {
  return { id: `${appId}/${buildId}/${retries}/${device}`, appId, buildId, retries, device, at };
}
