import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '@sluice/contracts';
import { type Collection, type Row, type Rows, type RowVersion, Sightings, StateStore } from '@sluice/document-store';
import { CLOCK, PeriodicTask, type Clock, LOGGER, type Logger } from '@sluice/service-host';
import { canonicalJson, DomainError } from '@sluice/kernel';
import type { FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import { traceIdOf } from '@sluice/telemetry';

/** A command that a client named. Only the events record whether it happened. */
interface IdempotencyRow extends Row {
  /** Of the body that it was given with; null until that has arrived. */
  readonly bodyHash: string | null;
  readonly running: boolean;
  /** A day after the first request began; milliseconds since the epoch. */
  readonly forgottenAt: number;
}

export const idempotencyRecords: Collection<IdempotencyRow> = {
  name: 'namedCommands',
  indexes: [{ fields: ['forgottenAt'] }],
};

const REMEMBERED_MS = 24 * 60 * 60 * 1_000;
const SWEEP_MS = 60_000;

/** Hex SHA-256 of a body's canonical JSON. */
export function hashBody(body: unknown): string {
  let text: string;
  try {
    text = canonicalJson(body);
  } catch (error) {
    if (error instanceof RangeError) throw new DomainError('INVALID_JSON', 'The body is nested too deeply.');
    throw error;
  }
  return createHash('sha256').update(text).digest('hex');
}

const inProgress = () =>
  new DomainError('IDEMPOTENCY_IN_PROGRESS', 'The first request with this Idempotency-Key is still running.');

/** Keeps two requests with one Idempotency-Key apart, on whichever gateways they arrive. */
@Injectable()
export class Idempotency extends PeriodicTask {
  /** A run that was not renewed for so long, watched from here, has died with its process. */
  static readonly leaseMs = 10_000;
  private readonly rows: Rows<IdempotencyRow>;
  private readonly sightings: Sightings;

  constructor(
    state: StateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({
      everyMs: SWEEP_MS,
      run: () => this.rows.deleteWhere({ forgottenAt: { lte: clock.now().getTime() } }),
      fault: 'Idempotency keys could not be swept',
      logger,
    });
    this.rows = state.rows(idempotencyRecords);
    this.sightings = new Sightings(clock);
  }

  /** @throws DomainError IDEMPOTENCY_IN_PROGRESS; DocumentStoreUnavailableError */
  async begin(commandId: string): Promise<IdempotencyRecord> {
    const found = await this.rows.getVersioned(commandId);
    if (found?.row.running === true && this.sightings.ageMs(commandId, found.version) < Idempotency.leaseMs)
      throw inProgress();
    const now = this.clock.now().getTime();
    const fresh = { id: commandId, bodyHash: null, forgottenAt: now + REMEMBERED_MS };
    const row = { ...(found !== undefined && found.row.forgottenAt > now ? found.row : fresh), running: true };
    const version = await this.rows.put(row, found?.version ?? 'absent');
    if (version === undefined) throw inProgress();
    return new IdempotencyRecord(this.rows, row, version, this.logger);
  }
}

/** One request with an Idempotency-Key, from its beginning to its answer. */
export class IdempotencyRecord {
  private readonly known: string | null;
  private readonly renewal: NodeJS.Timeout;
  /** Writes come one after the other: each needs the version of the one before. */
  private readonly turn = pLimit(1);

  constructor(
    private readonly rows: Rows<IdempotencyRow>,
    private row: IdempotencyRow,
    private version: RowVersion | undefined,
    private readonly logger: Logger,
  ) {
    this.known = row.bodyHash;
    this.renewal = setInterval(() => {
      this.write(this.row).catch(() => undefined);
    }, Idempotency.leaseMs / 3).unref();
  }

  /** Whether a request with this key had its body before: that one may have had its effect. */
  get isRepeat(): boolean {
    return this.known !== null;
  }

  /**
   * Says which body the command has, before it has an effect.
   * @throws DomainError IDEMPOTENCY_KEY_REUSED for another one than it was given with
   */
  async bind(bodyHash: string): Promise<void> {
    if (this.known !== null && this.known !== bodyHash) {
      throw new DomainError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another body.');
    }
    if (!(await this.write({ ...this.row, bodyHash }))) throw inProgress();
  }

  /** It is no longer renewed. */
  abandon(): void {
    clearInterval(this.renewal);
  }

  /** A refusal had no effect: it leaves the key as it was. After a fault the effect is unknown. */
  async end(status: number, traceparent?: string): Promise<void> {
    this.abandon();
    const refused = status >= 400 && status < 500;
    try {
      if (refused && this.known === null) await this.forget();
      else await this.write({ ...this.row, ...(refused && { bodyHash: this.known }), running: false });
    } catch (error) {
      this.logger.error(
        { err: error, trace_id: traceIdOf(traceparent) },
        'The end of a command with an Idempotency-Key could not be written',
      );
    }
  }

  private forget(): Promise<unknown> {
    return this.turn(() => (this.version === undefined ? false : this.rows.delete(this.row.id, this.version)));
  }

  /** Answers false when another took the command over. */
  private write(row: IdempotencyRow): Promise<boolean> {
    return this.turn(async () => {
      if (this.version === undefined) return false;
      this.version = await this.rows.put(row, this.version);
      this.row = row;
      return this.version !== undefined;
    });
  }
}

/**
 * The caller of a request whose body is known by now; with an Idempotency-Key, the body is the one
 * of the key.
 * @throws DomainError IDEMPOTENCY_KEY_REUSED
 */
export async function bindBody(request: FastifyRequest, body: unknown): Promise<Caller> {
  const { access, named } = request;
  if (access === null) throw new Error('The request has no caller.');
  if (named === null) return access.caller;
  const bodyHash = hashBody(body);
  await named.bind(bodyHash);
  request.access = { ...access, caller: { ...access.caller, bodyHash } };
  return request.access.caller;
}
