/** A promise that is settled from outside. A rejection that no caller awaits is not reported as unhandled. */
export interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function deferred(): Deferred {
  let resolve: Deferred['resolve'] = () => undefined;
  let reject: Deferred['reject'] = () => undefined;
  const promise = new Promise<void>((resolved, rejected) => ([resolve, reject] = [resolved, rejected]));
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
