import { withTimeout, type Logger } from '@sluice/kernel';
import { engineUp } from '@sluice/telemetry';
import type { Engines } from '@sluice/engines';

/** Answers as long as the engine does. */
export type Probe = () => Promise<unknown>;

export interface EngineAway {
  readonly engine: string;
  /** When it was first found to be unusable, ISO 8601. */
  readonly since: string;
  /** Such as `wrong_credentials`, where the engine's adapter can tell. */
  readonly reason?: string;
}

interface Fault {
  readonly reason?: string | undefined;
  /** For an operator: what is wrong and what to do. */
  readonly message?: string;
}

/** Not oftener: a store's probe is a durable write. */
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

/** Which engines are away from this process, as of the last five seconds; it logs what changes. */
export class EngineHealth {
  /** By name. */
  private readonly unusable = new Map<string, { readonly since: Date; reason: string | undefined }>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly probes: Readonly<Record<string, Probe>>,
    private readonly logger?: Logger,
  ) {}

  /** The engines that did not answer. */
  get away(): readonly EngineAway[] {
    return [...this.unusable].map(([engine, { since, reason }]) => ({
      ...{ engine, since: since.toISOString() },
      ...(reason !== undefined && { reason }),
    }));
  }

  /** Not one engine answers: it is this process that is away. */
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
        // An answer that comes late is one all the same, and so is a reason.
        if (fault === SILENCE) void answer.then((late) => this.note(engine, late));
      }),
    );
  }

  private note(engine: string, fault: Fault | undefined): void {
    engineUp.set({ engine }, fault === undefined ? 1 : 0);
    const before = this.unusable.get(engine);
    if (fault === undefined) {
      if (this.unusable.delete(engine)) this.logger?.warn(`The ${engine} answers again`);
      return;
    }
    const { reason, message } = fault;
    // Silence tells nothing that a known reason would not explain.
    if (before !== undefined && (reason === undefined || reason === before.reason)) return;
    this.unusable.set(engine, { since: before?.since ?? new Date(), reason });
    this.logger?.warn(
      reason === undefined
        ? `The ${engine} does not answer: what needs it is refused until it does`
        : `The ${engine} can't be used (${reason}). ${message ?? ''} What needs it is refused until it can`,
    );
  }
}

const SILENCE: Fault = {};

/** An error's own words are shown only with a reason: others may hold an address with its password. */
function faultOf(error: unknown): Fault {
  const { reason, message = '' } = error as { readonly reason?: unknown; readonly message?: string };
  return typeof reason === 'string' ? { reason, message } : {};
}
