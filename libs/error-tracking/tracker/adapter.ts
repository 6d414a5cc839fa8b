import type { ProviderBlocks, ProviderId } from './configuration.js';
import type { Severity } from './context.js';

/** An error with its context, checked, redacted and copied: one provider's own. */
export interface ErrorReport {
  /** A plain copy: name, message, stack and causes, without cycles. */
  readonly error: Error;
  /** A string was logged: `error` was created for it at that place. */
  readonly message: boolean;
  readonly severity: Severity;
  readonly tags: Record<string, string>;
  readonly extra: Record<string, unknown>;
  readonly user: KnownUser | undefined;
  readonly breadcrumbs: ReportBreadcrumb[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Members that are not known are missing. */
export interface KnownUser {
  readonly id?: string;
  readonly email?: string;
  readonly username?: string;
}

export interface ReportBreadcrumb {
  readonly message: string;
  readonly category?: string;
  readonly timestamp: number;
  readonly data?: Record<string, unknown>;
}

export interface Adapter {
  /**
   * Hands the report over and resolves when the provider is done with it. Returns the reason if it is not meant to be sent;
   * rejects when it could not be delivered.
   */
  send(report: ErrorReport): Promise<string | undefined>;
  /** The user of the whole app, for what the SDK sends by itself. */
  setUser?(user: KnownUser | undefined): void;
  /** Consent was withdrawn: closes what `consented` alone does not close. */
  stop?(): void;
}

/** What an adapter may ask of the core at any time. */
export interface Host {
  /** False from the very moment of a no: every hook of an SDK asks it before anything is sent. */
  consented(): boolean;
  user(): KnownUser | undefined;
}

/**
 * Loads a provider's SDK, without starting it. The returned function starts the SDK immediately, and again after each yes that
 * follows a no.
 */
export type PrepareAdapter<Id extends ProviderId> = (block: ProviderBlocks[Id], host: Host) => Promise<() => Adapter>;

/** An adapter that gets its SDK from `load`: imported only then, or together with the adapter. */
export type Adapt<Id extends ProviderId, Sdk> = (load: () => Promise<Sdk>) => PrepareAdapter<Id>;

/** The default export of a CommonJS module, however the bundler wraps it. */
export function defaultOf<T extends object>(module: { readonly default: T }): T {
  return 'default' in module.default ? (module.default.default as T) : module.default;
}

/** Erases what an SDK has stored under a name, wherever a page may store. */
export function forget(name: string): void {
  for (const kind of ['localStorage', 'sessionStorage'] as const) {
    try {
      window[kind].removeItem(name);
    } catch {
      // What may not be used holds nothing.
    }
  }
}

/** What is nested or null as one string, for providers that take nothing else. */
export function flat(values: Readonly<Record<string, unknown>>): Record<string, string | number | boolean> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : value]),
  ) as Record<string, string | number | boolean>;
}
