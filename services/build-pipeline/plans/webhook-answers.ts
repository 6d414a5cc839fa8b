import type { Collection, Row, Rows, RowVersion, StateStore } from '@sluice/document-store';
import type { Clock } from '@sluice/kernel';
import type { LivePlan, WebhookAnswer } from './domain/plan';

type OfPlan = Pick<LivePlan, 'buildId' | 'setAt'>;

export interface TimedAnswer extends WebhookAnswer {
  /** ISO 8601. */
  readonly at: string;
}

/** The last answer of the webhook gate of a plan, under the id of the build as text. In the state store. */
export interface WebhookAnswerRow extends Row {
  /** When the plan was set, so that another plan of the same build begins without an answer. */
  readonly set_at: string;
  /** How often the webhook was asked, counted before each request. */
  readonly asks: number;
  /** Null: none yet. */
  readonly answer: TimedAnswer | null;
}

export const webhookAnswers: Collection<WebhookAnswerRow> = { name: 'planWebhooks', indexes: [] };

/** The last answer to a plan. Undefined: none yet, or the plan ended long ago. */
export async function lastAnswer(state: StateStore, { buildId, setAt }: OfPlan): Promise<TimedAnswer | undefined> {
  const row = await state.rows(webhookAnswers).get(String(buildId));
  return row?.set_at === setAt ? (row.answer ?? undefined) : undefined;
}

const ASK_MS = 60_000;
const SWEEP_MS = 600_000;

/** The right to ask once. */
export interface Claim {
  readonly row: WebhookAnswerRow;
  readonly version: RowVersion;
}

/**
 * Lets one replica a minute ask the webhook of a plan. A replica waits for a minute of its own monotonic clock after it
 * saw the number of requests change, so that wall clocks don't matter.
 */
export class WebhookAnswers {
  private readonly seen = new Map<number, { readonly setAt: string; readonly asks: number; readonly from: number }>();
  private sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly state: StateStore,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  /** Undefined: a replica asked within the last minute. */
  async claim({ buildId, setAt }: OfPlan): Promise<Claim | undefined> {
    const id = String(buildId);
    const found = await this.rows.getVersioned(id);
    const { asks, answer } = found?.row.set_at === setAt ? found.row : { asks: 0, answer: null };
    const now = this.clock.monotonic();
    if (asks > 0) {
      const seen = this.seen.get(buildId);
      if (seen?.asks !== asks || seen.setAt !== setAt) {
        this.seen.set(buildId, { setAt, asks, from: now });
        return undefined;
      }
      if (now - seen.from < ASK_MS) return undefined;
    }
    const row: WebhookAnswerRow = { id, set_at: setAt, asks: asks + 1, answer };
    const version = await this.rows.put(row, found?.version ?? 'absent');
    if (version === undefined) return undefined;
    this.seen.set(buildId, { setAt, asks: row.asks, from: now });
    return { row, version };
  }

  async record({ row, version }: Claim, answer: TimedAnswer): Promise<void> {
    await this.rows.put({ ...row, answer }, version);
  }

  /** Forgets the answers of plans that are over, which their events show. */
  async sweep(live: ReadonlySet<number>): Promise<void> {
    if (this.clock.monotonic() - this.sweptAt < SWEEP_MS) return;
    for (const id of await this.rows.ids()) if (!live.has(Number(id))) await this.rows.delete(id);
    for (const build of this.seen.keys()) if (!live.has(build)) this.seen.delete(build);
    this.sweptAt = this.clock.monotonic();
  }

  private get rows(): Rows<WebhookAnswerRow> {
    return this.state.rows(webhookAnswers);
  }
}
