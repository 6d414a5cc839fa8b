export type Severity = 'debug' | 'info' | 'warning' | 'error' | 'fatal';

export interface User {
  readonly id?: string | undefined;
  readonly email?: string | undefined;
  readonly username?: string | undefined;
}

export interface Breadcrumb {
  readonly message: string;
  readonly category?: string | undefined;
  /** Milliseconds since 1970, as of `Date.now()`; the time of the call when it is missing. */
  readonly timestamp?: number | undefined;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** What is sent with an error; every field reaches every active provider. */
export interface ErrorContext {
  /** `error` when it is missing. */
  readonly severity?: Severity | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** The user of this error, in place of the user of `setUser`. */
  readonly user?: User | undefined;
  /** What led to this error; follows what `addBreadcrumb` has noted. */
  readonly breadcrumbs?: readonly Breadcrumb[] | undefined;
}

/** What became of one error, by provider id. */
export interface DispatchReport {
  /** Passed on; if the provider's SDK reports it, also accepted by the collector. */
  readonly dispatched: string[];
  /** Not meant to be sent: `consent`, `recursion`, or what else stood against it. */
  readonly skipped: { readonly id: string; readonly reason: string }[];
  readonly failed: { readonly id: string; readonly message: string }[];
}

export interface InitializeResult {
  /** At least one provider is ready to send once consent is given. */
  readonly success: boolean;
  readonly activeProviders: string[];
  /** One sentence for each thing that is not as it was configured; never a credential. */
  readonly warnings: string[];
}
