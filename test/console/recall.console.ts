import type { Build } from '@sluice/contracts';
import type { Locator } from 'playwright-core';
import { describeInChromium, timeUntilVisible } from '../support/chromium';
import { call } from '../support/http';
import { asOwner } from './as-owner';
import { consoleScene } from './harness';

const MINUTE = 60_000;

/** A time as a field of the page takes it. */
const local = (time: number): string =>
  new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);

describeInChromium('a recall in the console', () => {
  const scene = consoleScene({});
  const { ask, release } = asOwner(scene);

  const dialog = () => scene.page.locator('.dialog').last();
  const card = (version: string) => scene.page.getByRole('article', { name: `${version} in production` });
  const build = (id: number) => ask<Build>('GET', `/apps/1/builds/${id}`);
  const choose = async (label: string, entry: string | RegExp) => {
    await scene.page.getByRole('button', { name: `Actions for ${label}` }).click();
    await scene.page.getByRole('menuitem', { name: entry }).click();
  };

  /** Reports, waits until the page shows it without a reload, and prints how long that took. */
  const shownLive = async (screen: string, report: () => Promise<void>, shown: Locator) => {
    expect(await shown.count()).toBe(0);
    await report();
    const taken = await timeUntilVisible(shown);
    process.stdout.write(`console: a report was shown on ${screen} after ${Math.round(taken)} ms\n`);
  };

  beforeAll(async () => {
    await ask('POST', '/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    await release(1, '1.0.0', 100);
    await release(1, '1.1.0', 100);
    const { plaintext_key: key } = await ask<{ plaintext_key: string }>('POST', '/apps/1/api-keys', { name: 'app' });
    const headers = { 'X-API-Key': key, 'X-Bundle-Version': '1.1.0', 'X-Platform': 'ios' };
    for (const device of ['a', 'b']) {
      const url = `${scene.address}/api/v1/analytics/mau`;
      expect((await call(url, { method: 'POST', headers: { ...headers, 'X-Device-ID': device } })).status).toBe(200);
    }
    await scene.signIn();
  }, MINUTE);

  it(
    'says first what it does to how many devices, shows how far it is, and can be ended',
    async () => {
      const { page } = scene;
      await scene.open('/apps/1');
      await choose('1.1.0 in production', /^Recall…/);
      await dialog()
        .getByText('2 devices last reported version 1.1.0. At their next update check, these devices get 1.0.0')
        .waitFor();
      await dialog().getByText('published again as version 1.1.1').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByLabel('Reason').fill('White screen.');
      await dialog().getByRole('button', { name: 'Recall', exact: true }).click();
      await page.locator('.toast', { hasText: '1.1.0 in production recalled.' }).waitFor();

      await card('1.1.0').getByText('Recalled', { exact: true }).waitFor();
      await card('1.1.0').getByText('White screen.').waitFor();
      await card('1.1.0').getByText('Devices that run it get 1.1.1, which is 1.0.0 republished.').waitFor();
      await card('1.1.0').getByText('0 of 2 devices now run 1.1.1. 2 devices last reported 1.1.0.').waitFor();
      await card('1.1.1').getByText('1.0.0 republished, because 1.1.0 (build 2) is recalled: White screen.').waitFor();
      await card('1.1.1').getByText('Only devices that run 1.1.0 get it, as a mandatory update.').waitFor();
      await card('1.0.0').getByText('All devices with an older version').waitFor();
      expect(await build(2)).toMatchObject({ status: 'paused', recall_reason: 'White screen.', recall_target: 1 });

      await card('1.1.0').getByRole('link', { name: '1.1.0' }).click();
      const recall = page.getByRole('region', { name: 'Recall', exact: true });
      await recall.getByText('version 1.1.1, which is build 1 republished').waitFor();
      await recall.getByText('0 of 2 devices now run 1.1.1.').waitFor();
      expect(await scene.barriers()).toEqual([]);

      await choose('1.1.0 in production', /^Unrecall…/);
      await dialog().getByRole('button', { name: 'Unrecall', exact: true }).click();
      await page.locator('.toast', { hasText: '1.1.0 in production unrecalled.' }).waitFor();
      await recall.waitFor({ state: 'detached' });
      expect(await build(2)).toMatchObject({ status: 'paused', recalled_at: null });
    },
    MINUTE,
  );

  it(
    'shows a recall that was made elsewhere without a reload: on the board, in the lists, the overview and the history',
    async () => {
      const { page } = scene;
      const overview = await scene.newPage();
      await scene.signIn(overview);
      await overview.getByText('Nothing needs attention.').waitFor();
      await ask('PATCH', '/apps/1/builds/2', { status: 'active' });
      const before = new Date();
      await scene.open('/apps/1');
      await card('1.1.0').getByText('Live', { exact: true }).waitFor();

      await ask('POST', '/apps/1/builds/2/recall', { reason: 'It drains the battery.' });
      await card('1.1.0').getByText('It drains the battery.').waitFor();
      const [replacement] = await ask<Build[]>('GET', '/apps/1/builds?channel=production');
      const { id, version } = replacement!;
      await card(version)
        .getByText('1.0.0 republished, because 1.1.0 (build 2) is recalled: It drains the battery.')
        .waitFor();
      await overview.getByText('1.1.0 in production recalled: It drains the battery.').click();
      await overview.getByRole('heading', { name: '1.1.0 in production (build 2)' }).waitFor();
      await overview.getByText('Devices that run it get another version.').waitFor();
      await overview.context().close();

      await scene.open('/apps/1/builds');
      const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) });
      await row('1.1.0').getByText('It drains the battery.').waitFor();
      await row(version).getByText('For devices of the recalled build 2').waitFor();
      await row(version).getByRole('link', { name: version }).click();
      await page.getByText('Only devices that run the recalled version get it.').waitFor();
      await page.getByText('Republished from build 1, because build 2 is recalled').waitFor();
      await page.getByText('This build replaces 1.1.0 in production, which is recalled.').waitFor();
      expect(await scene.barriers()).toEqual([]);

      await scene.open('/apps/1/history');
      const entry = (name: string) => page.getByRole('listitem').filter({ hasText: name }).first();
      await entry('recalled 1.1.0 (build 2)').getByText(': It drains the battery.').waitFor();
      await entry('recalled 1.1.0').getByText('build 1, republished', { exact: true }).waitFor();
      await entry('republished').getByText('from build 1, for devices of the recalled build 2').waitFor();
      await page.getByText('Builds at a point in time').click();
      const then = page.getByRole('region', { name: 'Builds at that time' }).getByRole('row', { name: /^1\.1\.0 / });
      const at = async (time: Date) => {
        await page.getByLabel('Time', { exact: true }).fill(await page.evaluate(local, time.getTime()));
        await page.getByRole('button', { name: 'Show builds' }).click();
      };
      await at(new Date());
      await then.getByText('It drains the battery.').waitFor();
      await at(before);
      await then.getByText('It drains the battery.').waitFor({ state: 'detached' });

      await scene.open('/apps/1/devices#device=a');
      await page.getByText('Values of the update check').click();
      await page.getByLabel('Version', { exact: true }).fill('1.1.0');
      await page.getByRole('button', { name: 'Check' }).click();
      const asIf = page.getByRole('region', { name: 'Test an update check', exact: true });
      await asIf.getByText(`The device gets ${version} (build ${id}).`).waitFor();
      await asIf
        .getByText(
          '1.1.0 is recalled. If no other newer build is offered, the device gets 1.0.0 (build 1), republished',
        )
        .waitFor();
      await asIf.getByText('It replaces 1.1.0 (build 2), which is recalled.').waitFor();
      await page.getByLabel('Version', { exact: true }).fill('1.0.0');
      await page.getByRole('button', { name: 'Check' }).click();
      await asIf.getByText('It is recalled: It drains the battery.').waitFor();

      await scene.open('/apps/1');
      await page.getByRole('button', { name: 'Upload a build to production' }).click();
      await dialog().getByLabel('Version', { exact: true }).fill('1.1.0');
      await dialog().getByText('1.1.0 in production is recalled, so its version stays in use').waitFor();
      await dialog().getByLabel('Version', { exact: true }).fill(version);
      await dialog().getByText(`${version} in production is an older build, republished for a recall.`).waitFor();
    },
    2 * MINUTE,
  );

  it(
    'takes a recalled build off the board when a newer one serves every device, and ends the recall of a deleted one',
    async () => {
      const { page } = scene;
      await release(1, '1.2.0', 100);
      await scene.open('/apps/1');
      await page.getByText('1 recalled build. A newer build is offered to the devices that run it.').waitFor();
      expect(await card('1.1.0').count()).toBe(0);
      await scene.open('/apps');
      await page.getByText('Nothing needs attention.').waitFor();

      await ask('DELETE', '/apps/1/builds/2');
      await scene.open('/apps/1/builds/2');
      await page.getByText('The build was deleted. Its recall is still in force.').waitFor();
      await page.getByRole('button', { name: 'Unrecall…' }).click();
      await dialog().getByRole('button', { name: 'Unrecall', exact: true }).click();
      await page.getByText('The build was deleted. Its recall is still in force.').waitFor({ state: 'detached' });
    },
    MINUTE,
  );

  it(
    'shows what the server rejects next to its field, and offers no older build where there is none',
    async () => {
      await scene.open('/apps/1/builds/1');
      await choose('1.0.0 in production', /^Recall…/);
      await dialog().getByText('return to the bundle in their native app').first().waitFor();
      await dialog().getByLabel('Reason').fill(' ');
      await dialog().getByRole('button', { name: 'Recall', exact: true }).click();
      await dialog().getByText('The reason must not be empty').waitFor();
      expect((await build(1)).status).toBe('active');
    },
    MINUTE,
  );

  it(
    'shows how many devices rolled a build back, and offers it to them again',
    async () => {
      const { page } = scene;
      await ask('POST', '/apps', { name: 'Other', bundle_id: 'com.example.other' });
      await release(2, '1.0.0', 100);
      const [{ id }] = await ask<[Build]>('GET', '/apps/2/builds');
      const { plaintext_key: key } = await ask<{ plaintext_key: string }>('POST', '/apps/2/api-keys', { name: 'app' });
      const headers = { 'X-API-Key': key, 'X-Device-ID': 'c', 'X-Current-Version': '0.9.0', 'X-Platform': 'ios' };
      const check = async () =>
        (await call<{ bundleId?: string }>(`${scene.address}/api/v1/updates/check`, { headers })).body.bundleId;
      const bundle = await check();
      const url = `${scene.address}/api/v1/analytics/install`;
      const body = JSON.stringify({ bundle_id: bundle, status: 'rollback' });
      const report = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body };
      expect((await call(url, report)).status).toBe(200);
      expect(await check()).toBeUndefined();

      await scene.open(`/apps/2/builds/${id}`);
      const line = page.getByText('1 device rolled this build back and is no longer offered it.');
      await line.waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.getByRole('button', { name: 'Offer again…' }).click();
      await dialog().getByText('Devices that rolled the build back are offered it again.').waitFor();
      await dialog().getByRole('button', { name: 'Offer again', exact: true }).click();
      await page.locator('.toast', { hasText: '1.0.0 in production is offered again.' }).waitFor();
      await line.waitFor({ state: 'detached' });
      await page.getByText(/offered 1\.0\.0 \(build \d+\) in production again after rollbacks/).waitFor();
      expect(await check()).toBe(bundle);
    },
    MINUTE,
  );

  it(
    'shows a release that fails on its devices as failing, on the board and first on the overview, and recalls it from its card',
    async () => {
      const { page } = scene;
      const { id: app } = await ask<{ id: number }>('POST', '/apps', { name: 'Fleet', bundle_id: 'com.example.fleet' });
      await release(app, '1.0.0', 100);
      await release(app, '1.1.0', 20);
      const { plaintext_key: key } = await ask<{ plaintext_key: string }>('POST', `/apps/${app}/api-keys`, {
        name: 'a',
      });
      const headers = (device: number) => ({
        ...{ 'X-API-Key': key, 'X-Device-ID': `device-${device}`, 'X-Bundle-Version': '1.0.0', 'X-Platform': 'ios' },
        ...{ 'X-Current-Version': '1.0.0', 'Content-Type': 'application/json' },
      });
      const report = async (what: string, device: number, body: object = {}) => {
        const url = `${scene.address}/api/v1/analytics/${what}`;
        const sent = { method: 'POST', headers: headers(device), body: JSON.stringify(body) };
        expect((await call(url, sent)).status).toBe(200);
      };
      const install = (devices: readonly number[], bundle: string, status: string) =>
        Promise.all(
          devices.map((device) => report('install', device, { bundle_id: bundle, status, previous_version: '1.0.0' })),
        );
      const check = async (device: number, version = '1.0.0') => {
        const asked = { headers: { ...headers(device), 'X-Current-Version': version } };
        return (await call<{ bundleId?: string }>(`${scene.address}/api/v1/updates/check`, asked)).body.bundleId;
      };
      const all = Array.from({ length: 300 }, (_, device) => device);
      await Promise.all(all.map((device) => report('mau', device)));
      const offers = await Promise.all(all.map((device) => check(device)));
      const bundle = offers.find((offer) => offer !== undefined)!;

      await scene.open(`/apps/${app}`);
      await card('1.1.0').getByText('No device has reported an installation.').waitFor();
      await install(all.slice(0, 46), bundle, 'complete');
      await install(all.slice(46, 53), bundle, 'failed');
      await install(all.slice(32, 46), bundle, 'rollback');
      const bad = card('1.1.0');
      await bad.getByText('21 of 53 devices that tried it failed (39.6%). The limit is 2%.').waitFor();
      for (const words of ['46 installed', '7 failed', '14 rolled back', 'Failing']) {
        await bad.getByText(words, { exact: true }).waitFor();
      }
      await bad.getByText('32 of 300 devices run it. Target: 20%.').waitFor();
      await bad.getByRole('img', { name: /46 installed, 7 failed, 14 rolled back\.$/ }).waitFor();
      expect(await bad.locator('.good').and(page.locator('.badge')).count()).toBe(0);
      await card('1.0.0').getByText('268 devices run it', { exact: true }).waitFor();
      expect(await card('1.0.0').getByText('Failing').count()).toBe(0);
      await shownLive(
        'the board',
        () => report('mau', 300),
        card('1.0.0').getByText('269 devices run it', { exact: true }),
      );
      expect(await scene.barriers()).toEqual([]);
      await bad.getByRole('link', { name: 'See what went wrong with 1.1.0 in production' }).click();
      const head = page.getByRole('region', { name: /^1\.1\.0 in production \(build/ });
      await head.getByText('Failing', { exact: true }).waitFor();
      expect(await head.locator('.badge.good').count()).toBe(0);
      await head.getByRole('button', { name: 'Recall…', exact: true }).waitFor();
      expect(await scene.barriers()).toEqual([]);

      await scene.open('/apps');
      await page.getByRole('heading', { name: 'Apps' }).waitFor();
      const banner = page.getByRole('complementary', { name: 'Failing releases' });
      await banner.getByText('1 release is failing').waitFor();
      await banner.getByText('Fleet, 1.1.0 in production: 21 of 53 devices that tried it failed (39.6%).').waitFor();
      expect(await page.locator('.app-card').first().innerText()).toContain('Fleet');
      const devices = page.locator('.app-card').first().getByText('302 today', { exact: true });
      await shownLive('the overview', () => report('mau', 301), devices);
      expect(await page.locator('.app-card').first().locator('.badge.good').count()).toBe(0);
      expect(await scene.barriers()).toEqual([]);

      await scene.open(`/apps/${app}`);
      await bad.getByRole('button', { name: 'Recall…', exact: true }).click();
      await dialog().getByText('32 devices on 1.1.0 go back to 1.0.0.', { exact: true }).waitFor();
      await dialog().getByLabel('Reason').fill('A chunk does not load.');
      await dialog().getByRole('button', { name: 'Recall', exact: true }).click();
      await bad.getByText('0 of 32 devices now run 1.1.1. 32 devices last reported 1.1.0.').waitFor();
      await bad.getByText('Recalled', { exact: true }).waitFor();
      const replacement = await check(0, '1.1.0');
      await install(all.slice(0, 10), replacement!, 'complete');
      await bad.getByText('10 of 32 devices now run 1.1.1. 22 devices last reported 1.1.0.').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await scene.open('/apps');
      await page.getByText('1.1.0 in production recalled: A chunk does not load.').waitFor();
      expect(await banner.count()).toBe(0);
    },
    MINUTE,
  );
});
