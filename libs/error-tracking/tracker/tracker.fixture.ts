import type { Adapter, ErrorReport, Host } from './adapter';
import type { ErrorTrackingConfig } from './configuration';
import { createTracker, type Surroundings } from './tracker';

const BLOCKS = {
  provider_4: { apiKey: 'secret-key-4' },
  provider_5: { accessToken: 'secret-token-5' },
};

interface Fake {
  readonly reports: ErrorReport[];
  readonly calls: string[];
  host?: Host;
}

/** What `provider_4` does other than succeed immediately. */
interface Behaviour {
  /** Fetches the adapter. */
  readonly fetch?: () => Promise<void>;
  /** Loads the SDK. */
  readonly load?: () => Promise<void>;
  readonly start?: () => void;
  readonly send?: (report: ErrorReport) => Promise<string | undefined>;
  readonly setUser?: () => void;
}

/** A tracker over two providers whose adapters note what they are asked. */
export function given(options: Record<string, unknown> = {}, behaviour: Behaviour = {}, browser = true) {
  const fakes: Record<'provider_4' | 'provider_5', Fake> = {
    provider_4: { reports: [], calls: [] },
    provider_5: { reports: [], calls: [] },
  };
  const printed: string[] = [];
  const clock = { now: 1_000_000 };
  const adapter = (fake: Fake, special: Behaviour) => async () => {
    fake.calls.push('fetch');
    await special.fetch?.();
    return {
      prepare: async (_: unknown, host: Host): Promise<() => Adapter> => {
        fake.calls.push('load');
        await special.load?.();
        fake.host = host;
        return () => {
          fake.calls.push('start');
          special.start?.();
          return {
            send: (report) => {
              fake.reports.push(report);
              return special.send?.(report) ?? Promise.resolve(undefined);
            },
            setUser: (user) => {
              fake.calls.push(`user ${user?.id ?? 'none'}`);
              special.setUser?.();
            },
            stop: () => fake.calls.push('stop'),
          };
        };
      },
    };
  };
  const surroundings: Surroundings = {
    adapters: { provider_4: adapter(fakes.provider_4, behaviour), provider_5: adapter(fakes.provider_5, {}) },
    now: () => clock.now,
    warn: (message) => printed.push(message),
    browser,
  };
  const errorTracking = { providers: Object.keys(BLOCKS), ...BLOCKS, ...options };
  const tracker = createTracker({ errorTracking } as unknown as ErrorTrackingConfig, surroundings);
  return { tracker, four: fakes.provider_4, five: fakes.provider_5, printed, clock, surroundings };
}

export const YES = { errorTracking: true };
export const NO = { errorTracking: false };
