interface Endpoint {
  /** Origin of a proxy or a self-hosted collector, as `https://errors.example.com`. */
  readonly endpoint?: string | undefined;
}

/** Sentry. */
export interface Provider1 {
  readonly dsn: string;
  readonly environment?: string | undefined;
  readonly release?: string | undefined;
  /** 0 to 1; above 0 the SDK's browser tracing runs as well. */
  readonly tracesSampleRate?: number | undefined;
  readonly attachStacktrace?: boolean | undefined;
}

/** Native only: on the web a notice and nothing else. */
export interface Provider2 {
  readonly enabled?: boolean | undefined;
  readonly collectionEnabled?: boolean | undefined;
}

/** Datadog. */
export interface Provider3 extends Endpoint {
  readonly clientToken: string;
  readonly applicationId: string;
  readonly site?: string | undefined;
  readonly service?: string | undefined;
  readonly env?: string | undefined;
}

/** Bugsnag. */
export interface Provider4 extends Endpoint {
  readonly apiKey: string;
  readonly releaseStage?: string | undefined;
  /** Every stage when it is missing. */
  readonly enabledReleaseStages?: readonly string[] | undefined;
  readonly appVersion?: string | undefined;
}

/** Rollbar. */
export interface Provider5 extends Endpoint {
  readonly accessToken: string;
  readonly environment?: string | undefined;
  readonly captureUncaught?: boolean | undefined;
  readonly captureUnhandledRejections?: boolean | undefined;
}

/** LogRocket. */
export type Provider6 = Endpoint & {
  readonly shouldCaptureIP?: boolean | undefined;
  /** Recording of network requests, off unless `isEnabled` is true. */
  readonly network?:
    | {
        readonly isEnabled?: boolean | undefined;
        /** Answers the request as it may be recorded, or null to leave it out. */
        readonly requestSanitizer?: ((request: NetworkRequest) => NetworkRequest | null) | undefined;
      }
    | undefined;
} & (
    | {
        /** `<org>/<app>`. */
        readonly appId: string;
        /** @deprecated spelled `appId`, which wins. */
        readonly appID?: string | undefined;
      }
    | {
        readonly appId?: string | undefined;
        /** @deprecated spelled `appId`, which wins. */
        readonly appID: string;
      }
  );

export interface NetworkRequest {
  reqId: string;
  url: string;
  headers: Record<string, string | null | undefined>;
  body?: string;
  method: string;
  referrer?: string;
  mode?: string;
  credentials?: string;
}

/** Raygun. */
export interface Provider7 extends Endpoint {
  readonly apiKey: string;
  readonly version?: string | undefined;
  /** False sends no errors; true also captures uncaught errors. */
  readonly enableCrashReporting?: boolean | undefined;
  readonly enableRealUserMonitoring?: boolean | undefined;
}

/** App Center's log format, spoken to `endpoint`; its own host is no more. */
export interface Provider8 extends Endpoint {
  readonly appSecret: string;
  readonly analytics?: { readonly enableAutoPageTracking?: boolean | undefined } | undefined;
  readonly crashes?:
    | {
        readonly askBeforeSending?: boolean | undefined;
        /** Asks the user: true sends the error. The browser's own dialog when it is missing. One question at a time. */
        readonly confirm?: (() => Promise<boolean>) | undefined;
      }
    | undefined;
}

export interface ProviderBlocks {
  readonly provider_1: Provider1;
  readonly provider_2: Provider2;
  readonly provider_3: Provider3;
  readonly provider_4: Provider4;
  readonly provider_5: Provider5;
  readonly provider_6: Provider6;
  readonly provider_7: Provider7;
  readonly provider_8: Provider8;
}

export type ProviderId = keyof ProviderBlocks;

export interface ErrorTrackingOptions {
  /**
   * What happens to errors before the user has answered: `drop` (the default) forgets them; `buffer` keeps the last 20
   * of the last 10 minutes in memory, sends them on a yes and erases them on a no.
   */
  readonly preConsent?: 'drop' | 'buffer' | undefined;
  /** Names whose values are replaced wherever they stand in a context; upper and lower case are the same. */
  readonly redactKeys?: readonly string[] | undefined;
}

/** Each id in `providers` needs its block; a block without its id is ignored. */
export interface ErrorTrackingConfig<Id extends ProviderId = ProviderId> {
  readonly errorTracking: ErrorTrackingOptions & { readonly providers: readonly Id[] } & Pick<ProviderBlocks, Id> &
    Partial<ProviderBlocks>;
}
