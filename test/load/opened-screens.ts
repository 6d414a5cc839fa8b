import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { launchChromium, timeUntilVisible } from '../support/chromium';
import { launchProcess } from '../support/process';
import type { Bench } from './bench';
import { versionOf, writeHistory } from './history';

/** Builds 1.1.0 to 1.12.0 of one app. */
const BUILDS = 12;
const DEVICE = 'bench-device';
const MOST_MS = 1_000;
const REPORT_MOST_MS = 5_000;
/** So that a miss is a number, and no failure. */
const PATIENCE_MS = 60_000;

interface Opened extends Pick<Bench, 'folder' | 'judge'> {
  readonly devices: number;
}

/** Starts a server on the rows of so many devices, opens the console's screens of them in Chromium, and waits for a report. */
export async function openScreens({ folder, devices, judge }: Opened): Promise<void> {
  const { apiKey } = await writeHistory(folder, { apps: 1, channels: ['production'], builds: BUILDS });
  const server = await launchProcess('standalone', { DATA_DIR: folder }).ready;
  const report = async (device: string, version: string): Promise<void> => {
    const headers = { 'X-API-Key': apiKey, 'X-Device-ID': device, 'X-Platform': 'ios', 'X-Bundle-Version': version };
    const { status } = await fetch(`${server.address}/api/v1/analytics/mau`, { method: 'POST', headers });
    if (status !== 200) throw new Error(`The report was answered with ${status}.`);
  };
  const browser = await launchChromium();
  try {
    await report(DEVICE, versionOf(3));
    const page = await browser.newPage();
    await signIn(page, server.address, readFileSync(join(folder, 'owner.key'), 'utf8').trim());
    const total = (more: number) => (devices + more).toLocaleString('en-US');
    const screens: Readonly<Record<string, readonly [path: string, shown: Locator]>> = {
      Apps: ['/apps', page.getByText(`${total(1)} today`)],
      Releases: ['/apps/1', page.getByText(/ devices run it/).first()],
      Adoption: ['/apps/1/adoption', page.getByText(`${total(1)} active devices`)],
      'a build': ['/apps/1/builds/7', page.getByRole('list', { name: 'How many devices got how far' })],
      'a device': [`/apps/1/devices#device=${DEVICE}`, page.getByRole('region', { name: 'Last report' })],
    };
    for (const [name, [path, shown]] of Object.entries(screens)) {
      const from = performance.now();
      await page.goto(`${server.address}/console${path}`);
      await timeUntilVisible(shown, PATIENCE_MS);
      judge(`${name}, in Chromium`, performance.now() - from, 'ms', { atMost: MOST_MS });
    }
    await page.goto(`${server.address}/console/apps`);
    await page.getByText(`${total(1)} today`).waitFor();
    await report('another device', versionOf(3));
    const taken = await timeUntilVisible(page.getByText(`${total(2)} today`), PATIENCE_MS);
    judge('a report, shown on Apps', taken, 'ms', { atMost: REPORT_MOST_MS });
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function signIn(page: Page, address: string, key: string): Promise<void> {
  await page.goto(`${address}/console`);
  await page.getByLabel('Owner key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Console' }).waitFor();
}
