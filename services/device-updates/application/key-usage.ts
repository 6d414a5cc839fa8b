import { apiKeyUsage, type ApiKeyUsage } from '@sluice/contracts';
import type { Rows, StateStore } from '@sluice/document-store';
import { PeriodicTask } from '@sluice/engines';
import type { BlockedReason } from '../domain/restrictions';

const WRITE_EVERY_MS = 5_000;
/** Writes at once: the state store commits them together. */
const ABREAST = 50;

export interface KeyUsageOptions {
  /** The state store. */
  readonly state: StateStore;
  readonly report: (message: string, error?: unknown) => void;
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
 * it to the state store's rows in batches: there within five seconds and the time of a write. What a
 * process noted last is lost when it is killed; a write whose answer is lost may count twice.
 */
export class KeyUsage {
  private readonly noted = new Map<number, Noted>();
  private readonly rows: Rows<ApiKeyUsage>;
  private readonly now: () => number;
  private readonly writes: PeriodicTask;

  constructor({ state, report, now = Date.now }: KeyUsageOptions) {
    this.rows = state.rows(apiKeyUsage);
    this.now = now;
    this.writes = new PeriodicTask({
      everyMs: () => WRITE_EVERY_MS,
      run: () => this.writeNoted(),
      fault: 'The use of API keys could not be written',
      report,
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
    const keyIds = [...this.noted.keys()];
    for (let start = 0; start < keyIds.length; start += ABREAST) {
      const batch = keyIds.slice(start, start + ABREAST);
      const outcomes = await Promise.allSettled(batch.map((keyId) => this.writeOne(keyId)));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    }
  }

  private async writeOne(keyId: number): Promise<void> {
    const noted = this.of(keyId);
    const written = { ...noted };
    const id = String(keyId);
    await this.rows.update(id, (row) => ({ id, ...added(row, written) }));
    // Checks went on meanwhile.
    noted.blocked -= written.blocked;
    if (noted.blocked === 0 && noted.usedAt === written.usedAt) this.noted.delete(keyId);
  }
}

/** What other processes have written, and what this one adds: the later of each time, the sum of each count. */
function added(row: ApiKeyUsage | undefined, noted: Noted): Omit<ApiKeyUsage, 'id'> {
  const { blockedCount = 0, lastBlockedAt = null, lastBlockedReason = null, lastUsedAt = null } = row ?? {};
  const blockedLast = noted.blocked > 0 && isLater(noted.blockedAt, lastBlockedAt);
  return {
    blockedCount: blockedCount + noted.blocked,
    lastBlockedAt: blockedLast ? iso(noted.blockedAt) : lastBlockedAt,
    lastBlockedReason: blockedLast ? noted.blockedReason : lastBlockedReason,
    lastUsedAt: isLater(noted.usedAt, lastUsedAt) ? iso(noted.usedAt) : lastUsedAt,
  };
}

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

const isLater = (milliseconds: number, time: string | null): boolean =>
  milliseconds > (time === null ? 0 : Date.parse(time));
