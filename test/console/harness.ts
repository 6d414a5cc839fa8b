import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../support/chromium';
import { standalone, type Deployment } from '../support/deployment';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Runs before the page's own scripts: violations of its policy are printed to the console. */
const TELL_VIOLATIONS = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
  console.error('policy violated:', violatedDirective, blockedURI, sample));`;

/** What Chromium itself prints for each error status, also if Google or an engine is unavailable; the page shows it in words. */
const REFUSED = /^Failed to load resource: the server responded with a status of (4\d\d|502)/;

/** A server, and a browser before it. */
export interface ConsoleScene {
  readonly deployment: Deployment;
  readonly address: string;
  /** Of the operator. */
  readonly ownerKey: string;
  /** The page of the tests of this block, one after the other. */
  readonly page: Page;
  /** A page of its own that is not signed in. */
  newPage(options?: { readonly width?: number; readonly height?: number; readonly touch?: boolean }): Promise<Page>;
  /** Goes to the console and signs in by its form. */
  signIn(page?: Page, key?: string): Promise<void>;
  /** Opens a screen, for example `/apps/1`. */
  open(path: string, page?: Page): Promise<void>;
  /** What pages printed as errors, threw, had refused by their policy, or asked of other hosts. */
  readonly faults: readonly string[];
  /**
   * Holds the page, in light and in dark, to axe: answers its serious and critical findings, a line each.
   */
  barriers(page?: Page): Promise<string[]>;
  /** How many pixels a page is wider than its window. */
  excess(page: Page): Promise<number>;
}

/** For the tests of the block that calls it, which share the server and, unless they ask for another, one page. */
export function consoleScene(env: Readonly<Record<string, string>> = {}): ConsoleScene {
  const state: { deployment?: Deployment; browser?: Browser; page?: Page; key?: string } = {};
  const contexts: BrowserContext[] = [];
  const faults: string[] = [];

  async function newPage({ width = 1280, height = 900, touch = false } = {}): Promise<Page> {
    const context = await state.browser!.newContext({ viewport: { width, height }, hasTouch: touch, isMobile: touch });
    contexts.push(context);
    await context.addInitScript({ content: TELL_VIOLATIONS });
    await context.addInitScript({ content: AXE });
    const page = await context.newPage();
    // Less than Jest's limit, so that a test that waits in vain reports for what.
    page.setDefaultTimeout(15_000);
    page.on('console', (message) => {
      if (message.type() === 'error' && !REFUSED.test(message.text())) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (/^https?:$/.test(protocol) && hostname !== '127.0.0.1') faults.push(`asked ${request.url()}`);
    });
    return page;
  }

  const scene: ConsoleScene = {
    get deployment() {
      return state.deployment!;
    },
    get address() {
      return state.deployment!.gateways[0]!;
    },
    get ownerKey() {
      return state.key!;
    },
    get page() {
      return state.page!;
    },
    faults,
    newPage,
    async signIn(page = scene.page, key = scene.ownerKey) {
      await page.goto(`${scene.address}/console`);
      await page.getByLabel('Owner key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Console' }).waitFor();
    },
    async open(path, page = scene.page) {
      await page.goto(`${scene.address}/console${path}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
    },
    excess: (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    async barriers(page = scene.page) {
      const found: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const { violations } = await page.evaluate(() =>
          (globalThis as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
        );
        for (const { id, impact, help, nodes } of violations) {
          if (impact !== 'serious' && impact !== 'critical') continue;
          found.push(`${colorScheme}: ${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`);
        }
      }
      await page.emulateMedia({ colorScheme: 'light' });
      return found;
    },
  };

  beforeAll(async () => {
    state.deployment = await standalone.deploy(env);
    state.key = await state.deployment.ownerKey();
    state.browser = await launchChromium();
    state.page = await newPage();
  }, 60_000);

  afterEach(() => {
    expect(faults.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await state.browser?.close();
    await state.deployment?.destroy();
  }, 60_000);

  return scene;
}
