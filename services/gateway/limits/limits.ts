import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import { StateStore } from '@sluice/document-store';
import { PeriodicTask, REPORT, type Report } from '@sluice/service-host';
import { clientAddress, type ClientAddress } from '@sluice/http';
import { DomainError } from '@sluice/kernel';
import type { FastifyReply } from 'fastify';
import type { GatewaySettings } from '../config/gateway.settings';
import {
  memoryLimiter,
  SharedLimiter,
  sweepLimits,
  type Budget,
  type Limiter,
  type LimitOptions,
} from './shared-limiter';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const SWEEP_MS = 60_000;
const CALLBACKS_PER_MINUTE = 10;
const NARROWING_PER_MINUTE = 60;

/** How many of something one subject may do in a window of time. */
export class Limit {
  constructor(
    private readonly limiter: Limiter,
    private readonly code: 'RATE_LIMITED' | 'UPLOAD_RATE_LIMITED' | 'KEY_ACTION_RATE_LIMITED',
    private readonly message: string,
  ) {}

  /**
   * Counts one use, also one that is refused. A refusal tells of this limit in the headers of the
   * answer.
   * @returns the `RateLimit-*` headers
   * @throws DomainError with `retry_after` in seconds
   */
  async count(subject: string | number, reply: FastifyReply): Promise<Readonly<Record<string, string>>> {
    const state = await this.limiter.consume(subject);
    const headers = {
      'RateLimit-Limit': String(this.limiter.points),
      'RateLimit-Remaining': String(state.remainingPoints),
      'RateLimit-Reset': String(seconds(state)),
    };
    if (state.consumedPoints <= this.limiter.points) return headers;
    void reply.headers(headers);
    throw new DomainError(this.code, this.message, { retry_after: seconds(state) });
  }

  /** Takes back a use that turned out not to count. */
  credit(subject: string | number): Promise<void> {
    return this.limiter.credit(subject);
  }
}

/** Until the window ends: whole, and never too few. */
const seconds = ({ msBeforeNext }: Budget): number => Math.max(1, Math.ceil(msBeforeNext / 1_000));

/**
 * The limits of the planes that access tokens are for (spec 5, limits count against). Counted in the
 * state store, one budget for all gateways; in memory where one process is all there is.
 */
@Injectable()
export class Limits implements OnApplicationShutdown {
  readonly addressOf: ClientAddress;
  /** Requests without a valid credential, attempts to log in among them, by address. */
  readonly unauthenticated: Limit;
  /** Requests by token id. */
  readonly requests: Limit;
  /** Requests by owner id, of the owner's key and its sessions. */
  readonly ownerRequests: Limit;
  /** Requests that change something, by owner id: its key, sessions and tokens together. */
  readonly changes: Limit;
  /** Requests that only narrow a rollout, beyond the limits above; by token id, or by `owner:ID`. */
  readonly narrowing: Limit;
  /** Build uploads by token id, or by `owner:ID` where an owner uploads. */
  readonly uploads: Limit;
  /** Creations by app; rotations and revelations by key; all of them by the signing key of an app. */
  readonly keyActions: Limit;
  /** Returns from the remote side of the listings module, by address. */
  readonly callbacks: Limit;
  private readonly sweep: PeriodicTask;

  constructor(@Inject(SETTINGS) settings: GatewaySettings, state: StateStore, @Inject(REPORT) report: Report) {
    const alone = settings.busUrl === 'inproc:';
    const limiter = (options: LimitOptions): Limiter =>
      alone ? memoryLimiter(options) : new SharedLimiter(state, options);
    const perMinute = { points: settings.limitRequestsPerMinute, duration: MINUTE };
    const tooMany = 'Too many requests. Wait as long as Retry-After says.';

    this.addressOf = clientAddress(settings.trustedProxies);
    this.unauthenticated = new Limit(limiter({ ...perMinute, keyPrefix: 'address' }), 'RATE_LIMITED', tooMany);
    this.requests = new Limit(limiter({ ...perMinute, keyPrefix: 'token' }), 'RATE_LIMITED', tooMany);
    this.ownerRequests = new Limit(
      limiter({ points: settings.limitOwnerRequestsPerMinute, duration: MINUTE, keyPrefix: 'owner' }),
      'RATE_LIMITED',
      tooMany,
    );
    this.changes = new Limit(
      limiter({ points: settings.limitChangesPerHour, duration: HOUR, keyPrefix: 'changes' }),
      'RATE_LIMITED',
      'This owner and its tokens have made too many changes. Wait as long as Retry-After says.',
    );
    this.narrowing = new Limit(
      limiter({ points: NARROWING_PER_MINUTE, duration: MINUTE, keyPrefix: 'narrowing' }),
      'RATE_LIMITED',
      tooMany,
    );
    this.uploads = new Limit(
      limiter({ points: settings.limitUploadsPerHour, duration: HOUR, keyPrefix: 'uploads' }),
      'UPLOAD_RATE_LIMITED',
      'Too many uploads. Wait as long as Retry-After says.',
    );
    this.keyActions = new Limit(
      limiter({ points: settings.limitKeyActionsPerHour, duration: HOUR, keyPrefix: 'keyActions' }),
      'KEY_ACTION_RATE_LIMITED',
      'Too many key actions. Wait as long as Retry-After says.',
    );
    this.callbacks = new Limit(
      limiter({ points: CALLBACKS_PER_MINUTE, duration: MINUTE, keyPrefix: 'callback' }),
      'RATE_LIMITED',
      tooMany,
    );
    this.sweep = new PeriodicTask({
      everyMs: SWEEP_MS,
      run: () => sweepLimits(state),
      fault: 'Limits that ended could not be swept',
      report,
    });
    if (!alone) this.sweep.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.sweep.stop();
  }
}
