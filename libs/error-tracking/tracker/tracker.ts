import type { ErrorReport, KnownUser, PrepareAdapter, ReportBreadcrumb } from './adapter.js';
import type { ErrorTrackingConfig, ProviderId } from './configuration.js';
import type { Breadcrumb, DispatchReport, ErrorContext, InitializeResult, User } from './context.js';
import { createProvider, type Core, type Provider } from './provider.js';
import { attempt, breadcrumbOf, copyError, record, reportOf, userOf } from './sanitise.js';
import { faultOf, isProviderId } from './validation.js';

const HELD_ERRORS = 20;
const HELD_FOR_MS = 10 * 60_000;
const MAX_BREADCRUMBS = 100;

/** Every call is safe at any time, in any order, and on a server, where nothing happens. */
export interface ErrorTracker {
  /**
   * Checks the configuration; loads the providers' SDKs as well when consent is given already. Never rejects. Calls
   * after the first answer what the first did.
   */
  initialize(): Promise<InitializeResult>;
  /** Reports an error to every active provider. Never rejects, and takes at most 5 s. */
  logError(error: Error | string, context?: ErrorContext): Promise<DispatchReport>;
  /**
   * Only `true` is a yes. A no takes effect before the call returns; after a yes the promise resolves once the SDKs are
   * loaded and held errors are sent. Never rejects.
   */
  setConsent(consent: { readonly errorTracking: boolean }): Promise<void>;
  /** Notes what happened, for the errors that follow: the last 100. Forgotten without consent, unless errors are held. */
  addBreadcrumb(breadcrumb: Breadcrumb): void;
  /** The user of the app from now on; null for none. */
  setUser(user: User | null): void;
  /** Ignores further errors, waits for those under way (at most 5 s), and stops every SDK permanently. */
  shutdown(): Promise<void>;
}

/** What the tracker takes from outside. */
export interface Surroundings {
  readonly adapters: { readonly [Id in ProviderId]?: () => Promise<{ readonly prepare: PrepareAdapter<Id> }> };
  /** Milliseconds since 1970. */
  now(): number;
  warn(message: string): void;
  readonly browser: boolean;
}

export function createTracker(config: ErrorTrackingConfig, surroundings: Surroundings): ErrorTracker {
  const options = record(record(config)?.['errorTracking']) ?? {};
  const { providers, preConsent, redactKeys } = options;
  const ids = [...new Set(list(providers).map((id) => attempt(() => String(id)) ?? typeof id))];
  const redaction = new Set(list(redactKeys).flatMap((key) => (typeof key === 'string' ? key.toLowerCase() : [])));
  const secrets = secretsOf(options);

  const active: Provider[] = [];
  const off = new Map<string, string>();
  const warnings = new Set<string>();
  const underWay = new Set<Promise<unknown>>();
  let initialized: Promise<InitializeResult> | undefined;
  let consent: boolean | undefined;
  let closing = false;
  let ended = false;
  let refusals = 0;
  let inside = false;
  let user: KnownUser | undefined;
  let crumbs: ReportBreadcrumb[] = [];
  let held: ErrorReport[] = [];

  const consented = (): boolean => consent === true && !ended;
  const holds = (): boolean => consent === undefined && preConsent === 'buffer' && surroundings.browser && !closing;
  const core: Core = { consented, user: () => user, refusals: () => refusals, guarded, warn, messageOf };

  /** An error that the code of a provider reports in the meantime would loop endlessly. */
  function guarded<T>(call: () => T): T {
    const before = inside;
    inside = true;
    try {
      return call();
    } finally {
      inside = before;
    }
  }

  function warn(message: string): void {
    if (warnings.has(message)) return;
    warnings.add(message);
    try {
      guarded(() => surroundings.warn(`error-tracking: ${message}`));
    } catch {
      // An app that replaced the console is not to be stopped by it.
    }
  }

  function check(): void {
    for (const id of ids) {
      const fault = isProviderId(id) ? faultOf(id, blockOf(id)) : undefined;
      if (!isProviderId(id)) {
        off.set(id, 'unknown');
        warn(`${id} is unknown: the providers are provider_1 to provider_8`);
      } else if (id === 'provider_2') {
        off.set(id, 'unsupported');
        warn('provider_2 is not supported on web: use provider_1 for web error tracking');
      } else if (fault !== undefined) {
        off.set(id, 'configuration');
        warn(fault);
      } else {
        active.push(createProvider(id, blockOf(id) as never, () => adapterOf(id) as never, core));
      }
    }
    if (ids.length === 0) warn('errorTracking.providers names no provider');
  }

  function adapterOf(id: ProviderId): Promise<unknown> {
    return surroundings.adapters[id]?.() ?? Promise.reject(new Error(`there is no adapter for ${id}`));
  }

  /** The block as its adapter expects it, whichever way it is spelled. */
  function blockOf(id: ProviderId): unknown {
    const block = record(options[id]);
    if (id !== 'provider_6' || block?.['appID'] === undefined) return block;
    warn('provider_6: appID is deprecated, use appId');
    return { ...block, appId: block['appId'] ?? block['appID'] };
  }

  function messageOf(error: unknown): string {
    return secrets.reduce((message, secret) => message.replaceAll(secret, '***'), copyError(error).message);
  }

  async function dispatch(report: ErrorReport): Promise<DispatchReport> {
    const outcomes = Promise.all(active.map((provider) => provider.deliver(report)));
    underWay.add(outcomes);
    const result: DispatchReport = {
      dispatched: [],
      skipped: [...off].map(([id, reason]) => ({ id, reason })),
      failed: [],
    };
    for (const outcome of await outcomes) {
      if ('message' in outcome) result.failed.push(outcome);
      else if (outcome.reason === undefined) result.dispatched.push(outcome.id);
      else result.skipped.push({ id: outcome.id, reason: outcome.reason });
    }
    underWay.delete(outcomes);
    return result;
  }

  async function open(): Promise<void> {
    // A provider that did not start has given its warning; the next error tries again.
    await Promise.allSettled(active.map((provider) => provider.start()));
    const kept = recent();
    held = [];
    await Promise.all(kept.map(dispatch));
  }

  function recent(): ErrorReport[] {
    return held.filter(({ at }) => surroundings.now() - at < HELD_FOR_MS);
  }

  function stop(): void {
    refusals += 1;
    held = [];
    crumbs = [];
    active.forEach((provider) => provider.stop());
  }

  async function initialize(): Promise<InitializeResult> {
    if (!surroundings.browser) return { success: false, activeProviders: [], warnings: [] };
    if (closing) return { success: false, activeProviders: [], warnings: ['the tracker was shut down'] };
    check();
    if (consented()) await open();
    const activeProviders = active.filter(({ failed }) => !failed).map(({ id }) => id);
    return { success: activeProviders.length > 0, activeProviders, warnings: [...warnings] };
  }

  async function logError(thrown: Error | string, context?: ErrorContext): Promise<DispatchReport> {
    const refused = refusal();
    if (refused === 'recursion' || (refused !== undefined && !holds())) return none(refused);
    try {
      const told = guarded(() => reportOf(thrown, context, redaction, surroundings.now(), logError));
      const report = { ...told, user: told.user ?? user, breadcrumbs: [...crumbs, ...told.breadcrumbs] };
      if (refused === undefined) return await dispatch(report);
      held = [...recent(), report].slice(-HELD_ERRORS);
      setTimeout(() => (held = held.filter((one) => one !== report)), HELD_FOR_MS);
      return none(refused);
    } catch (error) {
      return { ...none(''), skipped: [], failed: active.map(({ id }) => ({ id, message: messageOf(error) })) };
    }
  }

  function refusal(): string | undefined {
    if (closing) return 'shutdown';
    if (!surroundings.browser) return 'server';
    if (inside) return 'recursion';
    if (!consented()) return 'consent';
    return initialized ? undefined : 'uninitialized';
  }

  function none(reason: string): DispatchReport {
    return { dispatched: [], skipped: ids.map((id) => ({ id, reason: off.get(id) ?? reason })), failed: [] };
  }

  return {
    initialize: () => (initialized ??= initialize()),
    logError,

    async setConsent(answer) {
      if (ended) return;
      consent = attempt(() => record(answer)?.['errorTracking']) === true;
      if (!consent) stop();
      await initialized;
      if (initialized && consented()) await open();
    },

    addBreadcrumb(breadcrumb) {
      if (closing || !(consented() || holds())) return;
      crumbs = [...crumbs, breadcrumbOf(breadcrumb, redaction, surroundings.now())].slice(-MAX_BREADCRUMBS);
    },

    setUser(next) {
      user = userOf(next, redaction);
      if (!consented()) return;
      active.forEach((provider) => provider.setUser(user));
    },

    async shutdown() {
      closing = true;
      await Promise.all(underWay);
      ended = true;
      stop();
    },
  };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What no warning and no message may show. */
function secretsOf(options: Readonly<Record<string, unknown>>): string[] {
  const names = ['dsn', 'clientToken', 'apiKey', 'accessToken', 'appSecret'];
  return Object.values(options)
    .flatMap((block) => names.map((name) => record(block)?.[name]))
    .flatMap((secret) => (typeof secret === 'string' ? [secret, ...(/\/\/(\w+)/.exec(secret)?.slice(1) ?? [])] : []))
    .filter((secret) => secret.trim() !== '');
}
