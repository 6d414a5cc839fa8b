/**
 * Runs tasks of the same key one after another, in the order of the calls, and tasks of other keys meanwhile. A
 * failing task does not stop those behind it.
 */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Settles as the task does. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (this.last.get(key) ?? Promise.resolve()).then(task);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    this.last.set(key, settled);
    void settled.then(() => {
      if (this.last.get(key) === settled) this.last.delete(key);
    });
    return result;
  }
}
