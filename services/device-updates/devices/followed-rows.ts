import type { Collection, Query, Row, Rows, StateStore, Where } from '@sluice/document-store';
import type { Clock, Logger } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { PeriodicTask } from '@sluice/service-host';

/** What is stored of a device in the state store, and held in memory by every process. */
export interface DeviceRow extends Row {
  readonly appId: number;
  /** HashedDevice.hash. */
  readonly device: string;
  /** When the row was written, milliseconds since 1970. */
  readonly at: number;
}

/** Rows in memory. */
export interface HeldRows<R> {
  add(row: R): void;
  /** Removes what is held of these devices of the app. */
  forget(appId: number, devices: readonly string[]): void;
  /** Holds what the other one does, and nothing else. */
  replaceBy(other: this): void;
  /** The present time, milliseconds since 1970; about once a second. */
  tick?(now: number): void;
}

export interface FollowedRowsOptions<R extends DeviceRow, Held extends HeldRows<R>> {
  /** With an index over `at`. */
  readonly collection: Collection<R>;
  readonly held: Held;
  readonly empty: () => Held;
  /** Logged when they can't be read. */
  readonly fault: string;
  /** The state store. */
  readonly state: StateStore;
  readonly messaging: Pick<Messaging, 'listen'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Names devices that were forgotten: their app and their hashes. */
export const DEVICE_FORGOTTEN = 'deviceForgotten';

const LOOK_EVERY_MS = 1_000;
/** Rows are read again for so long: their writers' clocks differ, and a write takes time. */
const READ_BACK_MS = 30_000;
/** Finds what a look can miss: deleted rows, and rows of a process whose clock is further behind. */
const READ_ALL_EVERY_MS = 600_000;
const PAGE = 1_000;

/**
 * Keeps the rows of a collection in memory. A process that adds a row has it immediately, the others read it within
 * about a second. They lose deleted rows when a device is forgotten, at the latest ten minutes later; so rows that end
 * earlier are overwritten, not deleted. While the state store is unavailable, what is held stays as it is.
 */
export class FollowedRows<R extends DeviceRow, Held extends HeldRows<R>> {
  readonly rows: Rows<R>;
  /** What is read at present, to replace what is held. */
  private next: Held | undefined;
  /** Ids of rows that this process stored, and hashes of devices that were forgotten, since the present page was asked for. The page may lack these changes. */
  private readonly newer = new Set<string>();
  private readonly looks: PeriodicTask;
  private readAllAt = Number.NEGATIVE_INFINITY;
  private endListening: (() => void) | undefined;

  constructor(private readonly options: FollowedRowsOptions<R, Held>) {
    this.rows = options.state.rows(options.collection);
    this.looks = new PeriodicTask({
      everyMs: () => LOOK_EVERY_MS,
      run: () => this.look(),
      fault: options.fault,
      logger: options.logger,
    });
  }

  /** Resolves once the rows were read, or could not be; from then on they are followed. */
  async open(): Promise<void> {
    this.endListening = this.options.messaging.listen(DEVICE_FORGOTTEN, ({ appId, devices }) => {
      if (typeof appId !== 'number' || !Array.isArray(devices)) return;
      const hashes = devices.filter((device) => typeof device === 'string');
      for (const hash of hashes) this.newer.add(hash);
      this.options.held.forget(appId, hashes);
      this.next?.forget(appId, hashes);
    });
    await this.looks.runNow();
    this.looks.start();
  }

  async close(): Promise<void> {
    this.endListening?.();
    await this.looks.stop();
  }

  /** Of rows that this process has stored. */
  add(row: R): void {
    this.newer.add(row.id);
    this.options.held.add(row);
    this.next?.add(row);
  }

  private async look(): Promise<void> {
    const { clock, held } = this.options;
    const now = clock.now().getTime();
    held.tick?.(now);
    if (clock.monotonic() - this.readAllAt >= READ_ALL_EVERY_MS) await this.readAll(now);
    await this.readSince(now - READ_BACK_MS);
  }

  private async readAll(now: number): Promise<void> {
    const { clock, held, empty } = this.options;
    const next = (this.next = empty());
    next.tick?.(now);
    const startedAt = clock.monotonic();
    try {
      for (let after: string | undefined = ''; after !== undefined;) {
        const where = { id: { gt: after } } as Where<R>;
        const page = await this.addPage({ where, limit: PAGE });
        after = page.length < PAGE ? undefined : page.at(-1)?.id;
      }
    } finally {
      this.next = undefined;
    }
    held.replaceBy(next);
    this.readAllAt = startedAt;
  }

  private async readSince(at: number): Promise<void> {
    const where = { at: { gte: at } } as Where<R>;
    for (let offset = 0; ; offset += PAGE) {
      const page = await this.addPage({ where, sort: [['at', 'asc']], offset, limit: PAGE });
      if (page.length < PAGE) return;
    }
  }

  private async addPage(query: Query<R>): Promise<readonly R[]> {
    this.newer.clear();
    const page = await this.rows.find(query);
    for (const row of page) {
      if (this.newer.has(row.id) || this.newer.has(row.device)) continue;
      this.options.held.add(row);
      this.next?.add(row);
    }
    return page;
  }
}
