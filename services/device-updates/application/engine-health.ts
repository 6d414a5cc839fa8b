/** Answers as long as the engine does. */
export type Probe = () => Promise<unknown>;

/** Not oftener: a store's probe is a durable write. */
const PROBE_EVERY_MS = 5_000;
const PATIENCE_MS = 1_500;

/** Which engines are away, as of the last five seconds. */
export class EngineHealth {
  private away: readonly string[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly probes: Readonly<Record<string, Probe>>) {}

  /** Names of the engines that did not answer. */
  get degraded(): readonly string[] {
    return this.away;
  }

  start(): void {
    this.timer = setInterval(() => void this.probe(), PROBE_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  async probe(): Promise<void> {
    const answers = await Promise.all(
      Object.entries(this.probes).map(async ([name, probe]) => ((await answersInTime(probe)) ? [] : [name])),
    );
    this.away = answers.flat();
  }
}

async function answersInTime(probe: Probe): Promise<boolean> {
  let patience: NodeJS.Timeout | undefined;
  const silence = new Promise<boolean>((resolve) => {
    patience = setTimeout(() => resolve(false), PATIENCE_MS).unref();
  });
  const answer = probe().then(
    () => true,
    () => false,
  );
  return Promise.race([answer, silence]).finally(() => clearTimeout(patience));
}
