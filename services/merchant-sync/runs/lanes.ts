/** Runs so many tasks at a time. The first failure is kept, and nothing should be begun after it. */
export class Lanes {
  private readonly underWay = new Set<Promise<void>>();
  private failure: { readonly error: unknown } | undefined;

  constructor(private readonly width: number) {}

  /** Resolves once another task may be begun. */
  async room(): Promise<void> {
    while (this.underWay.size >= this.width) await Promise.race(this.underWay);
  }

  begin(task: () => Promise<void>): void {
    const running: Promise<void> = task()
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.underWay.delete(running));
    this.underWay.add(running);
  }

  /** @throws the first failure of any task so far */
  throwFailure(): void {
    if (this.failure !== undefined) throw this.failure.error;
  }

  /** Waits for all that is under way. @throws with `strictly`, the first failure */
  async settled(strictly = false): Promise<void> {
    await Promise.all(this.underWay);
    if (strictly) this.throwFailure();
  }
}
