/**
 * Pictures of every screen of the console, filled with a demo: light and dark, wide and as on a phone.
 *   npm run screenshots -- [FOLDER]
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { launchChromium } from '../support/chromium';
import { standalone } from '../support/deployment';
import { startMerchantServer } from '../support/merchant-server';
import { startShopServer } from '../support/shop-server';
import { fillDemo, fillListings } from './demo';

const SIZES = { wide: { width: 1280, height: 900 }, phone: { width: 360, height: 760 } } as const;

/** The name of each picture, and the screen; `:app` is the busiest app. */
const SCREENS = {
  apps: '/apps',
  releases: '/apps/:app',
  builds: '/apps/:app/builds',
  build: '/apps/:app/builds/3',
  'api-keys': '/apps/:app/api-keys',
  signing: '/apps/:app/signing',
  adoption: '/apps/:app/adoption',
  device: '/apps/:app/device',
  history: '/apps/:app/history',
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
} as const;

async function main(folder: string): Promise<void> {
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
        const page = await (await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })).newPage();
        await page.goto(`${address}/console`);
        await page.getByLabel('Owner key').waitFor();
        await page.screenshot({ path: join(folder, `sign-in-${size}-${colorScheme}.png`) });
        await page.getByLabel('Owner key').fill(key);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('navigation', { name: 'Console' }).waitFor();
        for (const [name, path] of Object.entries(SCREENS)) {
          await page.goto(`${address}/console${path.replace(':app', String(app))}`);
          await page.getByRole('heading', { level: 1 }).first().waitFor();
          await page.getByRole('banner').getByText('Connected', { exact: true }).waitFor({ state: 'attached' });
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
  console.log(`Pictures of ${Object.keys(SCREENS).length + 1} screens are in ${folder}`);
}

void main(process.argv[2] ?? 'screenshots');
