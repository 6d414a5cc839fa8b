/** Counts work that has begun and not ended, so that a stop can wait for it. */
export class InFlight {
  private count = 0;
  private readonly waiting = new Set<() => void>();

  begin(): void {
    this.count += 1;
  }

  end(): void {
    this.count -= 1;
    if (this.count > 0) return;
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  /** Resolves once nothing is in flight. */
  async idle(): Promise<void> {
    if (this.count > 0) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }
}
