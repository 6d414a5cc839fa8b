/**
 * Pictures of every screen of the console, filled with a demo: light and dark, wide and as on a phone.
 *   npm run screenshots -- [FOLDER [NAME…]]
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchChromium } from '../support/chromium';
import { standalone } from '../support/deployment';
import { startMerchantServer } from '../support/merchant-server';
import { startShopServer } from '../support/shop-server';
import { fillDemo, fillListings } from './demo';

const SIZES = { wide: { width: 1280, height: 900 }, phone: { width: 360, height: 760 } } as const;

/** Opens what a screen shows only on request. */
type Act = (page: Page) => Promise<unknown>;

const menuOf = (page: Page, build: string) => page.getByRole('button', { name: `Actions for ${build}` }).click();

/** The name of each picture, and the screen; `:app` is the busiest app. */
const SCREENS: Readonly<Record<string, string | readonly [path: string, act: Act]>> = {
  apps: '/apps',
  releases: '/apps/:app',
  palette: [
    '/apps/:app',
    async (page) => {
      await page.getByRole('button', { name: /^Find…/ }).click();
      await page.getByRole('combobox').fill('2.5');
      await page.getByRole('option').first().waitFor();
    },
  ],
  shortcuts: [
    '/apps/:app',
    async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  ],
  builds: '/apps/:app/builds',
  'build-menu': ['/apps/:app', (page) => menuOf(page, '2.5.0 in production')],
  upload: [
    '/apps/:app',
    async (page) => {
      await page.getByRole('button', { name: 'Upload a build to production' }).click();
      await page.getByLabel('Version', { exact: true }).fill('2.6.2');
      await page.getByRole('heading', { name: 'What happens in production' }).waitFor();
    },
  ],
  promote: [
    '/apps/:app',
    async (page) => {
      await menuOf(page, '2.7.0 in development');
      await page.getByRole('menuitem', { name: /^Promote/ }).click();
      await page.getByRole('heading', { name: /^What happens in/ }).waitFor();
    },
  ],
  rollout: [
    '/apps/:app',
    async (page) => {
      await page.getByRole('button', { name: 'Change rollout…' }).first().click();
      await page.getByRole('dialog').waitFor();
    },
  ],
  recall: [
    '/apps/:app/builds/3',
    async (page) => {
      await menuOf(page, '2.5.0 in production');
      await page.getByRole('menuitem', { name: /^Recall/ }).click();
      await page.getByLabel('Reason').waitFor();
    },
  ],
  build: '/apps/:app/builds/3',
  'build-audience': '/apps/:app/builds/9',
  'edit-build': [
    '/apps/:app/builds/9',
    async (page) => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('dialog').waitFor();
    },
  ],
  'add-channel': [
    '/apps/:app',
    async (page) => {
      await page.getByRole('button', { name: 'Add channel…' }).click();
      await page.getByRole('dialog').waitFor();
    },
  ],
  plan: [
    '/apps/:app/builds/2',
    async (page) => {
      await page.getByRole('button', { name: 'Set a plan…' }).click();
      await page.getByText('Thresholds, webhook gate').click();
      await page.getByRole('button', { name: 'Add a time window' }).click();
    },
  ],
  'build-recalled': '/apps/:app/builds/5',
  'build-replacement': '/apps/:app/builds/8',
  'api-keys': '/apps/:app/api-keys',
  signing: '/apps/:app/signing',
  adoption: '/apps/:app/adoption',
  devices: '/apps/:app/devices',
  'device-result': [
    '/apps/:app/devices#device=tester-7',
    async (page) => {
      await page.getByText('Values of the update check').click();
      await page.getByLabel('Version', { exact: true }).fill('2.6.0');
      await page.getByLabel('Channel').selectOption('staging');
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByRole('heading', { name: 'Result' }).waitFor();
    },
  ],
  'releases-as-of': [
    '/apps/:app',
    async (page) => {
      await page.getByRole('slider').press('Home');
      await page.getByText(/^The active builds at /).waitFor();
    },
  ],
  activity: '/activity',
  history: '/apps/:app/history',
  'history-as-of': [
    '/apps/:app/history',
    async (page) => {
      await page.getByText('Builds at a point in time').click();
      const now = await page.evaluate(() =>
        new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString(),
      );
      await page.getByLabel('Time', { exact: true }).fill(now.slice(0, 19));
      await page.getByRole('button', { name: 'Show builds' }).click();
      await page.getByRole('table').waitFor();
    },
  ],
  settings: '/apps/:app/settings',
  tokens: '/tokens',
  'listings-ads': '/listings-ads',
  'listings-ads-sync': '/listings-ads/sync',
  'listings-ads-offers': '/listings-ads/offers',
  'listings-ads-feed': '/listings-ads/feed',
  'listings-ads-diagnostics': '/listings-ads/diagnostics',
  'listings-ads-settings': '/listings-ads/settings',
  'listings-ads-webhook': '/listings-ads/webhook',
  account: '/account',
  health: '/account/health',
  owners: '/account/owners',
  'read-models': '/account/read-models',
};

async function main(folder: string, names: readonly string[]): Promise<void> {
  const screens = Object.entries(SCREENS).filter(([name]) => names.length === 0 || names.includes(name));
  await mkdir(folder, { recursive: true });
  const remote = await startMerchantServer();
  const store = await startShopServer({ products: 60, variableEvery: 5 });
  const deployment = await standalone.deploy({
    ...remote.env,
    ...{
      WOOCOMMERCE_URL: store.url,
      WOOCOMMERCE_KEY: store.key,
      WOOCOMMERCE_SECRET: store.secret,
      STORE_CURRENCY: 'USD',
    },
  });
  const browser = await launchChromium();
  try {
    const [address = ''] = deployment.gateways;
    const key = await deployment.ownerKey();
    const app = await fillDemo(address, key);
    await fillListings(address, key, remote);
    for (const [size, viewport] of Object.entries(SIZES)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await (
          await browser.newContext({
            viewport,
            colorScheme,
            reducedMotion: 'reduce',
            hasTouch: size === 'phone',
            isMobile: size === 'phone',
          })
        ).newPage();
        await page.goto(`${address}/console`);
        await page.getByLabel('Owner key').waitFor();
        await page.screenshot({ path: join(folder, `sign-in-${size}-${colorScheme}.png`) });
        await page.getByLabel('Owner key').fill(key);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('navigation', { name: 'Console' }).waitFor();
        for (const [name, screen] of screens) {
          const [path, act] = typeof screen === 'string' ? [screen] : screen;
          await page.goto(`${address}/console${path.replace(':app', String(app))}`);
          await page.getByRole('heading', { level: 1 }).first().waitFor();
          await page.getByRole('banner').getByText('Connected', { exact: true }).waitFor({ state: 'attached' });
          await act?.(page);
          await page.waitForFunction(() => document.querySelector('.loading') === null);
          await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`), fullPage: true });
          const wider = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          if (wider > 0) console.error(`${name} (${size}) is ${wider} px wider than its window`);
        }
        await page.context().close();
      }
    }
  } finally {
    await browser.close();
    await deployment.destroy();
    await remote.close();
    await store.close();
  }
  console.log(`Pictures of ${screens.length + 1} screens are in ${folder}`);
}

const [, , folder = 'screenshots', ...names] = process.argv;
void main(folder, names);
