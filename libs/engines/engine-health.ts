import { engineUp } from '@sluice/telemetry';
import type { Engines } from './open-engines';
import type { Report } from './tokens';

/** Answers as long as the engine does. */
export type Probe = () => Promise<unknown>;

export interface EngineAway {
  readonly engine: string;
  /** When it was first found to be silent, ISO 8601. */
  readonly since: string;
}

/** Not oftener: a store's probe is a durable write. */
const PROBE_EVERY_MS = 5_000;
const PATIENCE_MS = 1_500;

export function probesOf({ events, readStore, stateStore, objects, messaging }: Engines): Record<string, Probe> {
  return {
    'event-store': () => events.head(),
    'read-store': () => readStore.ping(),
    'state-store': () => stateStore.ping(),
    'object-store': () => objects.ping(),
    bus: () => messaging.ping(),
  };
}

/** Which engines are away from this process, as of the last five seconds; it logs what changes. */
export class EngineHealth {
  /** By name, since when. */
  private readonly silent = new Map<string, Date>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly probes: Readonly<Record<string, Probe>>,
    private readonly report: Report = () => undefined,
  ) {}

  /** The engines that did not answer. */
  get away(): readonly EngineAway[] {
    return [...this.silent].map(([engine, since]) => ({ engine, since: since.toISOString() }));
  }

  /** Not one engine answers: it is this process that is away. */
  get cutOff(): boolean {
    return this.silent.size === Object.keys(this.probes).length;
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
        const answer = probe().then(
          () => true,
          () => false,
        );
        const answers = await inTime(answer);
        this.note(engine, answers);
        // An answer that comes late is one all the same.
        if (!answers) void answer.then((late) => late && this.note(engine, true));
      }),
    );
  }

  private note(engine: string, answers: boolean): void {
    engineUp.set({ engine }, answers ? 1 : 0);
    if (answers && this.silent.delete(engine)) this.report(`The ${engine} answers again`);
    if (answers || this.silent.has(engine)) return;
    this.silent.set(engine, new Date());
    this.report(`The ${engine} does not answer: what needs it is refused until it does`);
  }
}

async function inTime(answer: Promise<boolean>): Promise<boolean> {
  let patience: NodeJS.Timeout | undefined;
  const silence = new Promise<boolean>((resolve) => {
    patience = setTimeout(() => resolve(false), PATIENCE_MS).unref();
  });
  return Promise.race([answer, silence]).finally(() => clearTimeout(patience));
}
