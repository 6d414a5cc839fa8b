import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import type { DispatchReport, ErrorContext, InitializeResult } from '../../libs/error-tracking';
import { startCollector, type Collector, type Received } from '../../libs/error-tracking/demo/collector';
import { startSite, type Site } from '../../libs/error-tracking/demo/site';
import { launchChromium } from '../support/chromium';

/** Less than Jest gives a test, so that a test that times out reports what it waited for. */
const MAX_WAIT_MS = 20_000;
const PAUSE_MS = 20;

export const PROVIDERS = [
  'provider_1',
  'provider_3',
  'provider_4',
  'provider_5',
  'provider_6',
  'provider_7',
  'provider_8',
] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** Every group of the document's ErrorContext. */
export const CONTEXT = {
  severity: 'fatal',
  tags: { screen: 'checkout', plan: 'pro' },
  extra: { order: 17, basket: { items: ['tea', 'cup'] } },
  user: { id: 'u-1', email: 'ada@example.com', username: 'Ada' },
  breadcrumbs: [
    { message: 'opened basket', category: 'ui', timestamp: 1_700_000_000_000, data: { items: 2 } },
    { message: 'pressed pay', timestamp: 1_700_000_001_500 },
  ],
} as const;

type Blocks = Partial<Record<ProviderName | 'provider_2', Readonly<Record<string, unknown>>>>;

/** Of the test that runs: an unused page, and a collector for each provider. */
export interface Scene {
  readonly page: Page;
  readonly site: Site;
  readonly collectors: Readonly<Record<ProviderName, Collector>>;
  /** Everything that the page asked for, in order. */
  readonly requests: readonly string[];
  /** What the page printed and threw, and what its policy refused. */
  readonly printed: readonly string[];
  /** A block for each provider that works, pointed at its collector. */
  blocks(): Required<Omit<Blocks, 'provider_2'>>;
  /** Creates and initializes `window.tracking`. */
  track(blocks: Blocks, options?: Readonly<Record<string, unknown>>): Promise<InitializeResult>;
  consent(answer: boolean): Promise<void>;
  log(message: string, context?: ErrorContext): Promise<DispatchReport>;
  /** Waits for what a collector receives, from all that it has received so far. */
  arrival(id: ProviderName, which?: (received: Received) => boolean): Promise<Received>;
}

/** What a page may do that has the strictest policy under which its scripts and collectors work at all. */
function strictPolicy(collectors: readonly Collector[], recorder: Collector): string {
  const addresses = collectors.map(({ address }) => address).join(' ');
  return `default-src 'none'; script-src 'self' ${recorder.address}; connect-src ${addresses}`;
}

/** For the tests of the block that calls it. `strict` gives every page the strictest content security policy. */
export function scene(strict = false): Scene {
  const requests: string[] = [];
  const printed: string[] = [];
  const state: { browser?: Browser; site?: Site; page?: Page; collectors?: Record<ProviderName, Collector> } = {};
  const policy: Record<string, string> = {};

  beforeAll(async () => {
    state.site = await startSite({
      script: join(__dirname, 'page.ts'),
      html: '<!doctype html><title>page</title><script type="module" src="%SCRIPT%"></script>',
      headers: policy,
    });
    state.browser = await launchChromium();
  });

  afterAll(async () => {
    await state.browser?.close();
    await state.site?.close();
  });

  beforeEach(async () => {
    requests.length = 0;
    printed.length = 0;
    const pairs = await Promise.all(PROVIDERS.map(async (id) => [id, await startCollector()] as const));
    const collectors = Object.fromEntries(pairs) as Record<ProviderName, Collector>;
    if (strict) policy['Content-Security-Policy'] = strictPolicy(Object.values(collectors), collectors.provider_6);
    const page = await (await state.browser!.newContext()).newPage();
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => printed.push(message.text()));
    page.on('pageerror', (error) => printed.push(String(error)));
    await page.goto(state.site!.address);
    Object.assign(state, { page, collectors });
  });

  afterEach(async () => {
    await state.page?.context().close();
    await Promise.all(Object.values(state.collectors ?? {}).map((collector) => collector.close()));
  });

  const address = (id: ProviderName): string => state.collectors![id].address;

  return {
    get page() {
      return state.page!;
    },
    get site() {
      return state.site!;
    },
    get collectors() {
      return state.collectors!;
    },
    requests,
    printed,

    blocks: () => ({
      provider_1: { dsn: `${address('provider_1').replace('//', '//publickey@')}/42` },
      provider_3: { clientToken: 'client-token', applicationId: 'application', endpoint: address('provider_3') },
      provider_4: { apiKey: '0123456789abcdef0123456789abcdef', endpoint: address('provider_4') },
      provider_5: { accessToken: 'rollbar-token', endpoint: address('provider_5') },
      provider_6: { appId: 'org/app', endpoint: address('provider_6') },
      provider_7: { apiKey: 'raygun-key', endpoint: address('provider_7') },
      provider_8: { appSecret: 'app-secret', endpoint: address('provider_8') },
    }),

    track: (blocks, options = {}) =>
      state.page!.evaluate(
        (errorTracking) => {
          window.tracking = window.createErrorTracking({ errorTracking } as never);
          return window.tracking.initialize();
        },
        { providers: Object.keys(blocks), ...blocks, ...options },
      ),

    consent: (answer) => state.page!.evaluate((errorTracking) => window.tracking.setConsent({ errorTracking }), answer),

    log: (message, context) =>
      state.page!.evaluate(
        ([text, told]) => {
          const error = new TypeError(text as string);
          return window.tracking.logError(error, told as ErrorContext);
        },
        [message, context ?? {}],
      ),

    arrival: async (id, which = () => true) => {
      const { received } = state.collectors![id];
      for (let waited = 0; waited < MAX_WAIT_MS; waited += PAUSE_MS) {
        const found = received.find(which);
        if (found) return found;
        await pause(PAUSE_MS);
      }
      const told = received.map(({ method, url, body }) => `${method} ${url.pathname}: ${body.slice(0, 500)}`);
      throw new Error(`What was awaited never reached ${id}, which received ${told.join('\n') || 'nothing'}.`);
    },
  };
}
