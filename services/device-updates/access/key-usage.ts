import type { ApiKeyUse } from '@sluice/contracts';
import { Outbox, type StateStore } from '@sluice/document-store';
import { PeriodicTask } from '@sluice/service-host';
import type { BlockedReason } from '../serving/domain/restrictions';
import type { Logger } from '@sluice/kernel';

const WRITE_EVERY_MS = 5_000;
/** Keys in one call: the state store commits them together. */
const BATCH = 50;
const FAULT = 'The use of API keys could not be written';

export interface KeyUsageOptions {
  /** The state store: keeps what could not be sent before the end. */
  readonly state: StateStore;
  /** Stores uses, and resolves with the ids of the keys whose use is stored. */
  readonly record: (uses: ApiKeyUse[]) => Promise<readonly number[]>;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Noted and not yet written. Times are milliseconds since 1970, 0 for never. */
interface Noted {
  usedAt: number;
  blocked: number;
  blockedAt: number;
  blockedReason: BlockedReason;
}

/**
 * Notes how app API keys are used, without an allocation for a key that is in use already, and adds
 * it to the keys service's rows in batches: there within five seconds and the time of a call. What a
 * process noted last is lost when it is killed; one that stops while the keys service is unavailable leaves it to another
 * process. A call whose reply is lost may count twice.
 */
export class KeyUsage {
  private readonly noted = new Map<number, Noted>();
  private readonly outbox: Outbox<ApiKeyUse>;
  private readonly now: () => number;
  private readonly writes: PeriodicTask;

  constructor(private readonly options: KeyUsageOptions) {
    const { state, logger, now = Date.now } = options;
    this.outbox = new Outbox(state, 'apiKeyUseOutbox');
    this.now = now;
    this.writes = new PeriodicTask({
      everyMs: () => WRITE_EVERY_MS,
      run: () => this.writeNoted(),
      fault: FAULT,
      logger,
    });
    this.writes.start();
  }

  used(keyId: number): void {
    this.of(keyId).usedAt = this.now();
  }

  blocked(keyId: number, reason: BlockedReason): void {
    const noted = this.of(keyId);
    noted.blocked += 1;
    noted.blockedAt = this.now();
    noted.blockedReason = reason;
  }

  /** Writes what was noted; what fails is kept for the next time. */
  write(): Promise<void> {
    return this.writes.runNow();
  }

  async stop(): Promise<void> {
    await this.writes.stop();
    await this.writes.runNow();
    const left = [...this.noted].map(([id, noted]) => useOf(id, noted));
    await this.outbox.add(left).catch((error: unknown) => this.options.logger.error({ err: error }, FAULT));
  }

  private of(keyId: number): Noted {
    let noted = this.noted.get(keyId);
    if (noted === undefined) {
      noted = { usedAt: 0, blocked: 0, blockedAt: 0, blockedReason: 'no_identity' };
      this.noted.set(keyId, noted);
    }
    return noted;
  }

  private async writeNoted(): Promise<void> {
    await this.outbox.take((use) => this.add(use));
    const keyIds = [...this.noted.keys()];
    let missed = 0;
    for (let start = 0; start < keyIds.length; start += BATCH) {
      const batch = new Map(keyIds.slice(start, start + BATCH).map((id) => [id, { ...this.of(id) }]));
      const recorded = await this.options.record([...batch].map(([id, noted]) => useOf(id, noted)));
      for (const id of recorded) this.forget(id, batch.get(id));
      missed += batch.size - recorded.length;
    }
    if (missed > 0) throw new Error(`The use of ${missed} API keys was not stored.`);
  }

  private add({ id, usedAt, blocked, blockedAt, blockedReason }: ApiKeyUse): void {
    const noted = this.of(id);
    noted.usedAt = Math.max(noted.usedAt, millisecondsOf(usedAt));
    noted.blocked += blocked;
    if (millisecondsOf(blockedAt) <= noted.blockedAt) return;
    noted.blockedAt = millisecondsOf(blockedAt);
    noted.blockedReason = blockedReason as BlockedReason;
  }

  /** Checks went on meanwhile. */
  private forget(keyId: number, { blocked, usedAt }: Noted = this.of(keyId)): void {
    const noted = this.of(keyId);
    noted.blocked -= blocked;
    if (noted.blocked === 0 && noted.usedAt === usedAt) this.noted.delete(keyId);
  }
}

function useOf(id: number, { usedAt, blocked, blockedAt, blockedReason }: Noted): ApiKeyUse {
  const none = { blockedAt: null, blockedReason: null };
  return { id, usedAt: iso(usedAt), blocked, ...(blocked > 0 ? { blockedAt: iso(blockedAt), blockedReason } : none) };
}

const iso = (milliseconds: number): string | null => (milliseconds === 0 ? null : new Date(milliseconds).toISOString());

const millisecondsOf = (time: string | null): number => (time === null ? 0 : Date.parse(time));
