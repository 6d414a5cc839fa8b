import { Inject, Injectable } from '@nestjs/common';
import {
  clearDeadLetters,
  type DeadLetter,
  type Hook,
  listDeadLetters,
  type RequestOf,
  resendDeadLetters,
} from '@sluice/contracts';
import { type Collection, findPage, type Row, type RowVersion, StateStore } from '@sluice/document-store';
import type { Position } from '@sluice/event-store';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { CLOCK, type Clock } from '@sluice/service-host';

/** A hook on its way to the webhook, by the hook's id. It goes once it is taken. */
export interface DeliveryRow extends Row {
  /** Of the webhook that it was made for. */
  readonly webhook_id: string;
  readonly hook: string;
  readonly occurred_at: string;
  /** The hook as JSON: every try sends the same bytes. */
  readonly body: string;
  readonly status: 'waiting' | 'dead';
  /** Tries that were begun. */
  readonly attempts: number;
  /** Milliseconds since 1970: of one that waits, when its next try is due; of a dead one, when it was given up. */
  readonly at: number;
  /** In the order of what happened, for those that are due together. */
  readonly place: string;
  readonly last_error: string | null;
}

/** In the state store. */
export const deliveryRows: Collection<DeliveryRow> = {
  name: 'webhookDeliveries',
  indexes: [{ fields: ['status', 'at', 'place'] }],
};

/** Both as the index has them. */
const OLDEST_FIRST = [['at', 'asc'] as const, ['place', 'asc'] as const];
const LATEST_FIRST = [['at', 'desc'] as const, ['place', 'desc'] as const, ['id', 'desc'] as const];

/** So many rows with their bodies are in memory at a time. */
const PAGE = 100;

/** Deliveries that wait for the webhook, and dead letters. */
@Injectable()
export class WebhookDeliveries {
  constructor(
    private readonly state: StateStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Existing ones stay unchanged. */
  async add(webhookId: string, position: Position, hooks: readonly Hook[], now: number): Promise<void> {
    for (let first = 0; first < hooks.length; first += PAGE) {
      const page = hooks.slice(first, first + PAGE).map((hook, index): DeliveryRow => ({
        ...{ id: hook.id, webhook_id: webhookId, hook: hook.hook, occurred_at: hook.occurred_at },
        ...{ body: JSON.stringify(hook), status: 'waiting', attempts: 0, at: now, last_error: null },
        place: `${position}/${String(first + index).padStart(6, '0')}`,
      }));
      await this.rows.putMany(page, 'absent');
    }
  }

  /** The next that wait, the longest due first. */
  waiting(limit: number): Promise<DeliveryRow[]> {
    return this.rows.find({ where: { status: 'waiting' }, sort: OLDEST_FIRST, limit });
  }

  /** Undefined: another replica was faster. */
  async claim(due: DeliveryRow, until: number): Promise<{ row: DeliveryRow; version: RowVersion } | undefined> {
    const found = await this.rows.getVersioned(due.id);
    if (found === undefined || found.row.status !== 'waiting' || found.row.at !== due.at) return undefined;
    const row = { ...found.row, attempts: found.row.attempts + 1, at: until };
    const version = await this.rows.put(row, found.version);
    return version === undefined ? undefined : { row, version };
  }

  /** Whether it was written: false once another replica has claimed it. */
  async put(row: DeliveryRow, version: RowVersion): Promise<boolean> {
    return (await this.rows.put(row, version)) !== undefined;
  }

  delete(id: string): Promise<boolean> {
    return this.rows.delete(id);
  }

  count(status: DeliveryRow['status']): Promise<number> {
    return this.rows.count({ status });
  }

  /** The latest first. */
  @HandlesQuery(listDeadLetters)
  async listDead(page: RequestOf<typeof listDeadLetters>) {
    const { rows, total } = await findPage(this.rows, { where: { status: 'dead' }, sort: LATEST_FIRST, ...page });
    return { items: rows.map(toDeadLetter), total };
  }

  @HandlesCommand(resendDeadLetters)
  async resend({ ids }: RequestOf<typeof resendDeadLetters>) {
    const now = this.clock.now().getTime();
    if (ids !== undefined) return { resent: await this.revive(ids, now) };
    let resent = 0;
    for (;;) {
      // Only those that were dead when it was asked for.
      const where = { status: 'dead', at: { lte: now } } as const;
      const dead = await this.rows.find({ where, sort: OLDEST_FIRST, limit: PAGE });
      if (dead.length === 0) return { resent };
      resent += await this.revive(
        dead.map(({ id }) => id),
        now,
      );
    }
  }

  @HandlesCommand(clearDeadLetters)
  async clearDead() {
    return { deleted: await this.forgetDead(Number.MAX_SAFE_INTEGER) };
  }

  /** Answers how many it deleted. */
  forgetDead(givenUpBefore: number): Promise<number> {
    return this.rows.deleteWhere({ status: 'dead', at: { lt: givenUpBefore } });
  }

  async deleteAll(): Promise<void> {
    await this.rows.deleteWhere({ status: { in: ['waiting', 'dead'] } });
  }

  private async revive(ids: readonly string[], now: number): Promise<number> {
    let revived = 0;
    for (const id of new Set(ids)) {
      const row = await this.rows.update(id, (found) =>
        found?.status === 'dead' ? { ...found, status: 'waiting' as const, attempts: 0, at: now } : undefined,
      );
      if (row !== undefined) revived += 1;
    }
    return revived;
  }

  private get rows() {
    return this.state.rows(deliveryRows);
  }
}

function toDeadLetter({ id, hook, occurred_at, attempts, at, last_error, body }: DeliveryRow): DeadLetter {
  const payload = JSON.parse(body) as Hook;
  const failed_at = new Date(at).toISOString();
  return { id, hook, occurred_at, attempts, failed_at, last_error: last_error ?? '', payload };
}
