import type { ApiKeyUse, DevicePlatform } from '@sluice/contracts';
import { Outbox, type StateStore } from '@sluice/document-store';
import type { Logger } from '@sluice/kernel';
import { PeriodicTask } from './periodic-task';

const WRITE_EVERY_MS = 5_000;

export interface LastUsedTrackerOptions<Use extends Partial<ApiKeyUse>> {
  /** The kind of credential, in the plural, for the log. */
  readonly credentials: string;
  /** The state store, which keeps the uses that could not be sent before the stop in the collection `outbox`. */
  readonly state: StateStore;
  readonly outbox: string;
  /** The largest number of credentials in one call. */
  readonly batch: number;
  readonly useOf: (use: ApiKeyUse) => Use;
  /** Stores uses, and resolves with the ids of the credentials whose use is stored. */
  readonly record: (uses: Use[]) => Promise<readonly number[]>;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Uses that are not stored yet. Times are milliseconds since 1970, 0 for never. */
interface Noted {
  usedAt: number;
  blocked: number;
  blockedAt: number;
  blockedReason: string | null;
  checkedAt: number;
  platform: DevicePlatform;
  /** Undefined: it got no update. */
  version: string | undefined;
}

/**
 * Collects the uses of credentials, without an allocation for one that has uses already, and sends them to the owning
 * service in batches. A use is stored within five seconds and the time of a call. The latest uses are lost when the
 * process is killed. A process that stops while the owning service is unavailable leaves its uses to another process. A
 * call whose response is lost may count twice.
 */
export class LastUsedTracker<Use extends Partial<ApiKeyUse>> {
  private readonly noted = new Map<number, Noted>();
  private readonly outbox: Outbox<Use>;
  private readonly now: () => number;
  private readonly fault: string;
  private readonly writes: PeriodicTask;

  constructor(private readonly options: LastUsedTrackerOptions<Use>) {
    const { credentials, state, outbox, logger, now = Date.now } = options;
    this.outbox = new Outbox(state, outbox);
    this.now = now;
    this.fault = `The use of ${credentials} could not be written`;
    this.writes = new PeriodicTask({
      everyMs: () => WRITE_EVERY_MS,
      run: () => this.writeNoted(),
      fault: this.fault,
      logger,
    });
    this.writes.start();
  }

  used(id: number): void {
    this.of(id).usedAt = this.now();
  }

  /** The last update check: which devices send it, and the version that it got. */
  checked(id: number, platform: DevicePlatform, version: string | undefined): void {
    const noted = this.of(id);
    noted.checkedAt = this.now();
    noted.platform = platform;
    noted.version = version;
  }

  blocked(id: number, reason: string): void {
    const noted = this.of(id);
    noted.blocked += 1;
    noted.blockedAt = this.now();
    noted.blockedReason = reason;
  }

  /** Sends the collected uses. Those that fail are kept for the next call. */
  write(): Promise<void> {
    return this.writes.runNow();
  }

  async stop(): Promise<void> {
    await this.writes.stop();
    await this.writes.runNow();
    const left = [...this.noted].map(([id, noted]) => this.useOf(id, noted));
    await this.outbox.add(left).catch((error: unknown) => this.options.logger.error({ err: error }, this.fault));
  }

  private of(id: number): Noted {
    let noted = this.noted.get(id);
    if (noted === undefined) {
      noted = {
        ...{ usedAt: 0, blocked: 0, blockedAt: 0, blockedReason: null },
        ...{ checkedAt: 0, platform: 'all', version: undefined },
      };
      this.noted.set(id, noted);
    }
    return noted;
  }

  private async writeNoted(): Promise<void> {
    await this.outbox.take((use) => this.add(use));
    const { batch: size, record, credentials } = this.options;
    const ids = [...this.noted.keys()];
    let missed = 0;
    for (let start = 0; start < ids.length; start += size) {
      const batch = new Map(ids.slice(start, start + size).map((id) => [id, { ...this.of(id) }]));
      const recorded = await record([...batch].map(([id, noted]) => this.useOf(id, noted)));
      for (const id of recorded) this.forget(id, batch.get(id));
      missed += batch.size - recorded.length;
    }
    if (missed > 0) throw new Error(`The use of ${missed} ${credentials} was not stored.`);
  }

  private add({
    id = 0,
    usedAt = null,
    blocked = 0,
    blockedAt = null,
    blockedReason = null,
    check,
  }: Partial<ApiKeyUse>): void {
    const noted = this.of(id);
    noted.usedAt = Math.max(noted.usedAt, millisecondsOf(usedAt));
    noted.blocked += blocked;
    if (check !== undefined && millisecondsOf(check.at) > noted.checkedAt) {
      noted.checkedAt = millisecondsOf(check.at);
      noted.platform = check.platform;
      noted.version = check.version ?? undefined;
    }
    if (millisecondsOf(blockedAt) <= noted.blockedAt) return;
    noted.blockedAt = millisecondsOf(blockedAt);
    noted.blockedReason = blockedReason;
  }

  /** New uses may have been added during the call. */
  private forget(id: number, { blocked, usedAt }: Noted = this.of(id)): void {
    const noted = this.of(id);
    noted.blocked -= blocked;
    if (noted.blocked === 0 && noted.usedAt === usedAt) this.noted.delete(id);
  }

  private useOf(id: number, noted: Noted): Use {
    const { usedAt, blocked, blockedAt, blockedReason, checkedAt, platform, version = null } = noted;
    const none = { blockedAt: null, blockedReason: null };
    const last = blocked > 0 ? { blockedAt: iso(blockedAt), blockedReason } : none;
    const check = checkedAt === 0 ? {} : { check: { at: new Date(checkedAt).toISOString(), platform, version } };
    return this.options.useOf({ id, usedAt: iso(usedAt), blocked, ...last, ...check });
  }
}

const iso = (milliseconds: number): string | null => (milliseconds === 0 ? null : new Date(milliseconds).toISOString());

const millisecondsOf = (time: string | null): number => (time === null ? 0 : Date.parse(time));
