import { withTimeout, type Logger } from '@sluice/kernel';
import { engineUp } from '@sluice/telemetry';
import type { Engines } from '@sluice/engines';

/** Resolves when the engine responds. */
export type Probe = () => Promise<unknown>;

export interface EngineAway {
  readonly engine: string;
  /** When it was first found to be unusable, ISO 8601. */
  readonly since: string;
  /** Such as `wrong_credentials`, when the adapter of the engine can determine it. */
  readonly reason?: string;
}

interface Fault {
  readonly reason?: string | undefined;
  /** For an operator: what is wrong and what to do. */
  readonly message?: string;
}

/** Not more often, because the probe of a store is a durable write. */
const PROBE_EVERY_MS = 5_000;
const PATIENCE_MS = 1_500;

export function probesOf(engines: Engines): Record<string, Probe> {
  const { opened, events, readStore, stateStore, objects, messaging } = engines;
  return {
    ...(opened.includes('events') && { 'event-store': () => events.head() }),
    ...(opened.includes('readStore') && { 'read-store': () => readStore.ping() }),
    ...(opened.includes('stateStore') && { 'state-store': () => stateStore.ping() }),
    ...(opened.includes('objects') && { 'object-store': () => objects.ping() }),
    bus: () => messaging.ping(),
  };
}

/** Probes every five seconds which engines this process can't reach, and logs each change. */
export class EngineHealth {
  /** By name. */
  private readonly unusable = new Map<string, { readonly since: Date; reason: string | undefined }>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly probes: Readonly<Record<string, Probe>>,
    private readonly logger?: Logger,
  ) {}

  /** The engines that did not respond to the last probe. */
  get away(): readonly EngineAway[] {
    return [...this.unusable].map(([engine, { since, reason }]) => ({
      ...{ engine, since: since.toISOString() },
      ...(reason !== undefined && { reason }),
    }));
  }

  /** No engine responds, so it is this process that has lost its network. */
  get cutOff(): boolean {
    return this.unusable.size === Object.keys(this.probes).length;
  }

  start(): void {
    void this.probe();
    this.timer = setInterval(() => void this.probe(), PROBE_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  async probe(): Promise<void> {
    await Promise.all(
      Object.entries(this.probes).map(async ([engine, probe]) => {
        const answer = probe().then(() => undefined, faultOf);
        const fault = await withTimeout(answer, PATIENCE_MS).catch(() => SILENCE);
        this.note(engine, fault);
        // A delayed response or reason is still valid.
        if (fault === SILENCE) void answer.then((late) => this.note(engine, late));
      }),
    );
  }

  private note(engine: string, fault: Fault | undefined): void {
    engineUp.set({ engine }, fault === undefined ? 1 : 0);
    const before = this.unusable.get(engine);
    if (fault === undefined) {
      if (this.unusable.delete(engine)) this.logger?.warn(`The ${engine} responds again`);
      return;
    }
    const { reason, message } = fault;
    // A known reason also explains the silence.
    if (before !== undefined && (reason === undefined || reason === before.reason)) return;
    this.unusable.set(engine, { since: before?.since ?? new Date(), reason });
    this.logger?.warn(
      reason === undefined
        ? `The ${engine} does not respond. Requests that need it are rejected until it does`
        : `The ${engine} can't be used (${reason}). ${message ?? ''} Requests that need it are rejected until then`,
    );
  }
}

const SILENCE: Fault = {};

/** The message of an error without a reason is not shown, because it may contain an address with its password. */
function faultOf(error: unknown): Fault {
  const { reason, message = '' } = error as { readonly reason?: unknown; readonly message?: string };
  return typeof reason === 'string' ? { reason, message } : {};
}
