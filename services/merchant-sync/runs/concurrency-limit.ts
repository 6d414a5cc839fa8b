/** At most `width` tasks at a time. It keeps the first failure; begin no task after one. */
export class ConcurrencyLimit {
  private readonly underWay = new Set<Promise<void>>();
  private failure: { readonly error: unknown } | undefined;

  constructor(private readonly width: number) {}

  /** Resolves once another task may begin. */
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

  /** Waits for all running tasks. @throws with `strictly`, the first failure */
  async settled(strictly = false): Promise<void> {
    await Promise.all(this.underWay);
    if (strictly) this.throwFailure();
  }
}
