import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import { StateStore } from '@sluice/document-store';
import { PeriodicTask, LOGGER, type Logger } from '@sluice/service-host';
import { clientAddress, type ClientAddress } from '@sluice/http';
import { DomainError } from '@sluice/kernel';
import type { FastifyReply } from 'fastify';
import type { GatewaySettings } from '../config/gateway.settings';
import { memoryLimiter, SharedLimiter, sweepLimits, type Budget, type Limiter } from './shared-limiter';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const SWEEP_MS = 60_000;
const CALLBACKS_PER_MINUTE = 10;
const NARROWING_PER_MINUTE = 60;
const TOO_MANY = 'Too many requests.';

type LimitCode = 'RATE_LIMITED' | 'UPLOAD_RATE_LIMITED' | 'KEY_ACTION_RATE_LIMITED';

/** How many of something one subject may do in a window of time. */
export class Limit {
  constructor(
    private readonly limiter: Limiter,
    private readonly code: LimitCode,
    private readonly message: string,
  ) {}

  /**
   * Counts one use, also one that is rejected. The headers of a rejection report this limit.
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
 * The limits of the planes that access tokens are for. Counted in the
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
  /** Returns of browsers from Google to the OAuth callback, by address. */
  readonly callbacks: Limit;
  private readonly sweep: PeriodicTask;

  constructor(@Inject(SETTINGS) settings: GatewaySettings, state: StateStore, @Inject(LOGGER) logger: Logger) {
    const alone = settings.busUrl === 'inproc:';
    const limit = (
      keyPrefix: string,
      points: number,
      duration: number,
      reason = TOO_MANY,
      code: LimitCode = 'RATE_LIMITED',
    ) => {
      const options = { points, duration, keyPrefix };
      const limiter = alone ? memoryLimiter(options) : new SharedLimiter(state, options);
      return new Limit(limiter, code, `${reason} Wait as long as Retry-After says.`);
    };
    const { limitRequestsPerMinute, limitOwnerRequestsPerMinute, limitChangesPerHour } = settings;
    const { limitUploadsPerHour, limitKeyActionsPerHour } = settings;
    this.addressOf = clientAddress(settings.trustedProxies);
    this.unauthenticated = limit('address', limitRequestsPerMinute, MINUTE);
    this.requests = limit('token', limitRequestsPerMinute, MINUTE);
    this.ownerRequests = limit('owner', limitOwnerRequestsPerMinute, MINUTE);
    this.changes = limit('changes', limitChangesPerHour, HOUR, 'This owner and its tokens have made too many changes.');
    this.narrowing = limit('narrowing', NARROWING_PER_MINUTE, MINUTE);
    this.uploads = limit('uploads', limitUploadsPerHour, HOUR, 'Too many uploads.', 'UPLOAD_RATE_LIMITED');
    this.keyActions = limit(
      'keyActions',
      limitKeyActionsPerHour,
      HOUR,
      'Too many key actions.',
      'KEY_ACTION_RATE_LIMITED',
    );
    this.callbacks = limit('callback', CALLBACKS_PER_MINUTE, MINUTE);
    this.sweep = new PeriodicTask({
      everyMs: SWEEP_MS,
      run: () => sweepLimits(state),
      fault: 'Limits that ended could not be swept',
      logger,
    });
    if (!alone) this.sweep.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.sweep.stop();
  }
}
