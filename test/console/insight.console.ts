import { readFile } from 'node:fs/promises';
import type { Build } from '@sluice/contracts';
import type { Locator } from 'playwright-core';
import { REPORTS_REFRESH_MS } from '../../libs/console/api/reports';
import { KEPT_MS } from '../../services/device-updates/reports/kept-counts';
import { describeInChromium } from '../support/chromium';
import { call } from '../support/http';
import { zipOf } from '../support/zip';
import { asOwner } from './as-owner';
import { consoleScene } from './harness';

const MINUTE = 60_000;

describeInChromium('what the console shows of an app and of the installation', () => {
  const scene = consoleScene({ LIMIT_KEY_ACTIONS_PER_HOUR: '4' });

  const { ask: owner, release } = asOwner(scene);

  const dialog = () => scene.page.locator('.dialog');
  const press = (name: string | RegExp, within: Locator = dialog()) => within.getByRole('button', { name }).click();
  /** Opens the menu of a thing and chooses, as the keyboard does it. */
  async function choose(of: string, entry: string): Promise<void> {
    const { page } = scene;
    await page.getByRole('button', { name: `Actions for ${of}` }).focus();
    await page.keyboard.press('Enter');
    const item = page.getByRole('menuitem', { name: entry });
    await item.waitFor();
    await item.focus();
    await page.keyboard.press('Enter');
  }
  /** Waits until the focus is in a section, wherever: what had it is gone. */
  const focusIn = (section: string) =>
    scene.page.waitForFunction(
      (name) => document.activeElement?.closest('section')?.getAttribute('aria-label') === name,
      section,
    );
  const isFocused = (place: Locator) => place.evaluate((element) => element === document.activeElement);

  it(
    'makes, changes, rotates and revokes an access token, each secret shown once',
    async () => {
      const { page } = scene;
      await scene.signIn();
      await owner('POST', '/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
      await owner('POST', '/apps', { name: 'Other', bundle_id: 'com.example.other' });
      await scene.open('/tokens');
      await page.getByRole('heading', { name: 'No access tokens yet' }).waitFor();

      await page.getByRole('button', { name: 'New access token' }).first().click();
      await dialog().getByLabel(/^Shop/).waitFor();
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByLabel('Name').fill('   ');
      await press('Create token');
      await dialog().getByText('The name must not be empty.').waitFor();
      await dialog().getByLabel('Name').fill('ci');
      await dialog().getByLabel('builds.delete').check();
      await dialog().getByLabel(/^Shop/).check();
      await page.keyboard.press('Enter');

      const secret = dialog().locator('code', { hasText: /^svc_pat_/ });
      const first = await secret.innerText();
      expect(
        (await call(`${scene.address}/api/public/v1/token`, { headers: { Authorization: `Bearer ${first}` } })).body,
      ).toMatchObject({
        data: { name: 'ci', permissions: ['manage', 'builds.delete'], apps: [{ app_id: 'com.example.shop' }] },
      });
      expect(await scene.barriers()).toEqual([]);
      // Neither Escape nor a press outside closes what can't be shown again.
      await page.keyboard.press('Escape');
      await page.mouse.click(5, 5);
      await press('I have copied it');
      await dialog().waitFor({ state: 'detached' });
      expect(await page.content()).not.toContain(first);
      await page.getByRole('row', { name: /ci Active Delete builds Shop never in 3 months/ }).waitFor();
      expect(await scene.barriers()).toEqual([]);

      await choose('ci', 'Edit');
      await dialog().getByLabel('Name').fill('ci of the shop');
      await dialog().getByLabel('Access').selectOption('All apps, including future ones');
      await dialog().getByLabel('Expires').selectOption('Never');
      await press('Save');
      await page.getByRole('row', { name: /ci of the shop Active Delete builds All, including future ones/ }).waitFor();

      await choose('ci of the shop', 'Rotate');
      await press('Rotate');
      const second = await secret.innerText();
      expect(second).not.toBe(first);
      await press('I have copied it');
      expect(
        (await call(`${scene.address}/api/public/v1/token`, { headers: { Authorization: `Bearer ${first}` } })).status,
      ).toBe(401);

      await choose('ci of the shop', 'Revoke');
      await press('Revoke permanently');
      await page.getByRole('row', { name: /ci of the shop Revoked/ }).waitFor();
      await dialog().waitFor({ state: 'detached' });
      const menu = page.getByRole('button', { name: 'Actions for ci of the shop' });
      await menu.click();
      await page.getByRole('menuitem', { name: 'Rotate' }).getByText('You can’t change a revoked token.').waitFor();
      await page.keyboard.press('Escape');
      expect(await isFocused(menu)).toBe(true);
    },
    MINUTE,
  );

  it(
    'creates API keys up to their limit, shows, restricts, rotates, retires and deletes them, and shows rejected callers',
    async () => {
      const { page } = scene;
      await scene.open('/apps/1/api-keys');
      await page.getByRole('heading', { name: 'No API key yet' }).waitFor();
      /** Does what the line for a shell says: the server answers a device with this key. */
      const firstCheck = async (line: string, key: string): Promise<void> => {
        const [address = ''] = /(?<=^curl ')[^']+/.exec(line) ?? [];
        const headers = [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']) => [name, value]);
        expect(headers).toContainEqual(['X-API-Key', key]);
        expect((await call(address, { headers: Object.fromEntries(headers) as Record<string, string> })).status).toBe(
          200,
        );
      };
      const keyOf = async (name: string): Promise<string> => {
        await page.getByRole('button', { name: 'New API key' }).first().click();
        await dialog().getByLabel('Name').fill(name);
        await page.keyboard.press('Enter');
        const text = await dialog()
          .locator('code', { hasText: /^svc_app_/ })
          .innerText();
        await firstCheck(await dialog().locator('pre').innerText(), text);
        await press('Close', dialog().locator('footer'));
        await dialog().waitFor({ state: 'detached' });
        expect(await page.content()).not.toContain(text);
        return text;
      };
      const key = await keyOf('Store');
      await keyOf('Web');
      await keyOf('Tests');
      await page.getByText('3 of 3 active keys').waitFor();

      await page.getByRole('button', { name: 'New API key' }).click();
      await dialog().getByText('An app can have 3 active keys.').waitFor();
      await dialog().getByLabel('Name').fill('Fourth');
      await press('Create key');
      await dialog().getByRole('alert').getByText('The app has 3 active API keys already.').waitFor();
      // The fifth action within an hour.
      await press('Create key');
      await dialog().getByRole('alert').getByText('Too many key actions.').waitFor();
      await dialog()
        .getByText(/Try again in \d+ minutes/)
        .waitFor();
      await press('Cancel');

      await choose('Store', 'Restrictions');
      await dialog().getByLabel('Web origins').fill('https://shop.example.com\nshop.example.com');
      await press('Add an Android app');
      await dialog().getByLabel('Package name').fill('com.example.shop');
      await dialog()
        .getByLabel(/^SHA-256/)
        .fill('AB:CD');
      await press('Save');
      await dialog()
        .getByText(/^Entry 2: An origin must be exact/)
        .waitFor();
      await dialog()
        .getByText(/^Entry 1: Each sha256 must be a fingerprint of 32 bytes/)
        .waitFor();
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByLabel('Web origins').fill('https://shop.example.com');
      await dialog()
        .getByLabel(/^SHA-256/)
        .fill('ab'.repeat(32));
      await press('Add an iOS app');
      await dialog().getByLabel('Bundle id').fill('com.example.shop');
      await press('Save');
      await page.getByText('Only 1 web origin, 1 Android app, and 1 iOS app').waitFor();
      await page.getByText('No blocked requests.').waitFor();

      const stranger = {
        'X-API-Key': key,
        'X-Device-ID': 'd',
        'X-Current-Version': '1.0.0',
        'X-Platform': 'web',
        Origin: 'https://evil.example',
      };
      expect((await call(`${scene.deployment.devices[0]!}/api/v1/updates/check`, { headers: stranger })).status).toBe(
        403,
      );
      await page
        .getByText(/1 blocked request, the last .*: the origin of the web page is not allowed/)
        .waitFor({ timeout: 40_000 });
      expect(await scene.barriers()).toEqual([]);

      await choose('Web', 'Show key');
      await press('Show key');
      await dialog()
        .locator('code', { hasText: /^svc_app_/ })
        .waitFor();
      await press('Close', dialog().locator('footer'));
      await choose('Web', 'Rotate');
      await dialog().getByText('The key is in use. A device used it').waitFor();
      await dialog().getByRole('textbox').fill('Web');
      await press('Rotate');
      await dialog()
        .locator('code', { hasText: /^svc_app_/ })
        .waitFor();
      await press('Close', dialog().locator('footer'));
      await choose('Tests', 'Deprecate');
      await press('Deprecate');
      await page.getByText('2 of 3 active keys').waitFor();
      await dialog().waitFor({ state: 'detached' });
      await choose('Tests', 'Revoke');
      expect(await dialog().getByRole('button', { name: 'Revoke permanently' }).isDisabled()).toBe(true);
      await dialog().getByRole('textbox').fill('Tests');
      await press('Revoke permanently');
      await page.getByText('Revoked', { exact: true }).waitFor();
      await dialog().waitFor({ state: 'detached' });
      await choose('Tests', 'Delete');
      const permanently = dialog().getByRole('button', { name: 'Delete permanently' });
      expect(await permanently.isDisabled()).toBe(true);
      await dialog().getByRole('textbox').fill('Tests');
      await permanently.click();
      await page.getByRole('heading', { name: 'Tests' }).waitFor({ state: 'detached' });
      // What opened the dialog is gone: the focus is where it was.
      await dialog().waitFor({ state: 'detached' });
      await focusIn('API keys');
      await page.getByRole('status').getByText('Key deleted.').waitFor();
      await press('Dismiss', page.locator('.toast', { hasText: 'Key deleted.' }));
      await page.getByText('Key deleted.').waitFor({ state: 'detached' });
    },
    2 * MINUTE,
  );

  it(
    'makes and rotates a signing key, and keeps a keystore',
    async () => {
      const { page } = scene;
      await scene.open('/apps/1/signing');
      await press('New signing key', page.locator('main'));
      await dialog().getByLabel('Scheme').selectOption('pss');
      await press('Create key');
      await page.getByText('RSA-PSS with SHA-256').waitFor({ timeout: 30_000 });
      const fingerprint = page.locator('code', { hasText: /^[0-9a-f]{64}$/ }).first();
      const former = await fingerprint.innerText();
      await page.getByText('-----BEGIN PUBLIC KEY-----').waitFor();
      await page.getByRole('button', { name: 'Copy the public key' }).waitFor();
      await press('Rotate', page.locator('main'));
      await dialog().getByText('update responses carry signatures by both keys').waitFor();
      await dialog().getByLabel('Name').fill('  ');
      await press('Rotate');
      await dialog().getByText('Enter the first 8 characters of the fingerprint above.').waitFor();
      await dialog().getByLabel('First 8 characters of the fingerprint').fill(former.slice(0, 8));
      await press('Rotate');
      await dialog().getByText('The name must not be empty.').waitFor();
      await dialog().getByLabel('Name').fill('second');
      await press('Rotate');
      await page.getByText('Previous keys that still sign').waitFor({ timeout: 30_000 });
      expect(await fingerprint.innerText()).not.toBe(former);
      await page.getByText(former).waitFor();
      await page.getByText('Devices that run a build without a signature by a newer key').waitFor();
      await page.getByRole('button', { name: 'Retire key' }).click();
      await dialog().getByText('Devices that run a build without a signature by a newer key: 0').waitFor();
      await dialog().getByText('Devices that trust only this key reject all updates').waitFor();
      expect(await dialog().getByRole('button', { name: 'Retire permanently' }).isDisabled()).toBe(true);
      await dialog().getByRole('textbox').fill(former.slice(0, 8));
      await press('Retire permanently');
      await page.getByText(`${former.slice(0, 16)}…`).waitFor();

      const file = page.getByLabel('Zip with the keystore');
      await file.setInputFiles({ name: 'keys.txt', mimeType: 'text/plain', buffer: Buffer.from('no zip') });
      await press('Store backup', page.locator('main'));
      await page.getByRole('alert').getByText(/zip/i).waitFor();
      expect(await scene.barriers()).toEqual([]);
      const zip = await zipOf({ 'shop.jks': 'secret' });
      await file.setInputFiles({ name: 'shop keys.zip', mimeType: 'application/zip', buffer: zip });
      await press('Store backup', page.locator('main'));
      await page.getByText('shop keys.zip').waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('shop keys.zip');
      await file.setInputFiles({ name: 'other keys.zip', mimeType: 'application/zip', buffer: zip });
      await press('Replace backup', page.locator('main'));
      await dialog().getByText('shop keys.zip').waitFor();
      await press('Replace permanently');
      await page.getByText('other keys.zip').waitFor();
      await press('Delete', page.locator('main'));
      await dialog().getByRole('textbox').fill('Shop');
      await page.keyboard.press('Enter');
      await page.getByText('No backup yet.').waitFor();
      await dialog().waitFor({ state: 'detached' });
      await focusIn('Keystore backup');
    },
    2 * MINUTE,
  );

  it(
    'shows which versions devices run, why one gets its build, and who did what',
    async () => {
      const { page } = scene;
      await release(1, '1.0.0', 100);
      await release(1, '1.1.0', 1);
      const builds = await owner<readonly Build[]>('GET', '/apps/1/builds');
      const { id: next } = builds.find(({ version }) => version === '1.1.0')!;
      const { id: first } = builds.find(({ version }) => version === '1.0.0')!;
      await owner('PATCH', `/apps/1/builds/${first}`, { min_native_version: '2.0' });
      const [devices] = scene.deployment.devices;
      const { plaintext_key: key } = await owner<{ plaintext_key: string }>('POST', '/apps/1/api-keys/2/reveal');
      const reporter = (device: string) => ({
        ...{ 'X-API-Key': key, 'X-Device-ID': device, 'X-Platform': 'ios', 'X-App-Version': '3.0' },
      });
      const active = async (device: string, version: string): Promise<void> => {
        const headers = { ...reporter(device), 'X-Bundle-Version': version };
        expect((await call(`${devices!}/api/v1/analytics/mau`, { method: 'POST', headers })).status).toBe(200);
      };
      await active('a', '1.0.0');
      await active('b', '1.0.0');
      await active('c', '1.1.0');
      await active('b', '1.1.0');

      await scene.open('/apps/1/adoption');
      await page.getByRole('img', { name: /Active devices by version and day.*1\.1\.0: 2, 1\.0\.0: 1/ }).waitFor();
      // A device that reported both versions counts once, for the last one.
      await page.getByText('3 active devices').waitFor();
      await page.getByRole('row', { name: 'iOS 3' }).waitFor();
      await page.getByRole('row', { name: 'Native version 3.0.0 3' }).waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.getByLabel('View').selectOption('table');
      await page
        .getByRole('region', { name: 'Active devices by version and day' })
        .getByRole('row', { name: /^\w{3} \d+, \d{4} 3 2 1 1\.1\.0, 1\.0\.0$/ })
        .waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.getByLabel('Period').selectOption('own');
      await page.getByLabel('From').fill('2026-02-01');
      await page.getByLabel('To').fill('2026-01-01');
      await press('Show', page.locator('.range'));
      await page.getByText('The from must not be later than the to.').waitFor();
      await page.getByLabel('Period').selectOption('7');
      await page.getByLabel('Channel').selectOption('staging');
      await page.getByText('No build in staging yet').waitFor();
      await page.getByLabel('Channel').selectOption('production');
      // The address holds what was chosen.
      await page.reload();
      const releases = page.getByRole('region', { name: 'Releases in production' }).first();
      await releases.getByRole('row', { name: /^1\.1\.0 .* The same day Not yet 66%$/ }).waitFor();
      await releases.getByRole('row', { name: /^1\.0\.0 .* The same day The same day 100%$/ }).waitFor();
      const [csv] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download CSV' }).click(),
      ]);
      const lines = (await readFile(await csv.path(), 'utf8')).split('\r\n');
      expect([lines[0], lines[7], lines.length]).toEqual([
        'Day (UTC),Devices,1.1.0,1.0.0',
        `${new Date().toISOString().slice(0, 10)},3,2,1`,
        9,
      ]);
      await page.getByLabel('View').selectOption('shares');
      await page.locator('.axis .count', { hasText: '100%' }).waitFor();
      await page.getByRole('slider').focus();
      const tip = page.locator('.chart-tip');
      await tip.getByText('2 (66%)').waitFor();
      await tip.getByText('Released: 1.1.0 and 1.0.0').waitFor();
      expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
        /: 1\.1\.0: 2, 1\.0\.0: 1\. Released: 1\.1\.0 and 1\.0\.0$/,
      );
      await page.keyboard.press('ArrowLeft');
      await tip.getByText('0 active devices').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.getByLabel('Period').selectOption('30');
      // The fields follow the address.
      await scene.open('/apps/1/adoption?from=2026-01-01&to=2026-01-31');
      await page.getByRole('button', { name: 'Show', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Adoption', exact: true }).click();
      await page.getByRole('button', { name: 'Show', exact: true }).waitFor({ state: 'detached' });
      expect(await page.getByLabel('Period').inputValue()).toBe('30');

      await scene.open('/apps');
      await page.getByText('3 today').waitFor();
      await active('d', '1.1.0');
      await page.getByText('4 today').waitFor({ timeout: MINUTE });
      expect(KEPT_MS + REPORTS_REFRESH_MS).toBeLessThanOrEqual(12_000);
      await scene.open('/apps/1/adoption');

      const check = { ...reporter('b'), 'X-Current-Version': '0.9.0', 'X-Channel': 'production' };
      const { bundleId } = (await call<{ bundleId: string }>(`${devices!}/api/v1/updates/check`, { headers: check }))
        .body;
      const install = {
        ...{ method: 'POST', headers: { ...reporter('b'), 'Content-Type': 'application/json' } },
        body: JSON.stringify({ bundle_id: bundleId, status: 'failed', error: 'no room' }),
      };
      expect((await call(`${devices!}/api/v1/analytics/install`, install)).status).toBe(200);

      await page.getByRole('link', { name: 'Devices', exact: true }).click();
      const find = async (device: string): Promise<void> => {
        await page.getByLabel('Device ID', { exact: true }).fill(device);
        await page.keyboard.press('Enter');
      };
      const section = (name: string) => page.getByRole('region', { name, exact: true }).first();
      await find('B');
      await page.getByText('Sluice has no report from this device.').waitFor();
      await page.getByRole('link', { name: 'Show the API keys and blocked requests' }).waitFor();
      await page.getByText('No data is stored for this device.').waitFor();
      expect(await scene.barriers()).toEqual([]);
      // The request for the page does not contain the ID.
      expect(new URL(page.url())).toMatchObject({ pathname: '/console/apps/1/devices', hash: '#device=B' });
      await find('d'.repeat(300));
      await page.getByRole('alert').getByText('at most 255 characters').first().waitFor();

      // The address of earlier releases.
      await scene.open('/apps/1/device#device=b');
      const facts = section('Last report');
      await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
      await page.waitForFunction(() => document.activeElement === document.querySelector('main'));
      expect(new URL(page.url())).toMatchObject({ pathname: '/console/apps/1/devices', hash: '#device=b' });
      await page.getByRole('link', { name: 'Devices', exact: true }).click();
      await facts.waitFor({ state: 'detached' });
      expect(await page.getByLabel('Device ID', { exact: true }).inputValue()).toBe('');
      await page.goBack();
      await facts.getByText('1.1.0', { exact: true }).waitFor();
      for (const fact of ['3.0.0', 'iOS', 'production', 'Web']) await facts.getByText(fact, { exact: true }).waitFor();
      await facts.getByText(/^Installation failed: 1\.0\.0 \(build \d+\)$/).waitFor();
      const result = section('What an update check returns now');
      await result.getByText('No update: the device stays on 1.1.0.').waitFor();
      const reports = section('Reports of the device');
      await reports.getByRole('row', { name: /^Installation failed 1\.0\.0 \(build \d+\) .* no room$/ }).waitFor();
      await reports.getByRole('row', { name: /^Active 1\.1\.0 / }).waitFor();
      expect(await scene.barriers()).toEqual([]);

      await find('a');
      await result.getByText('No update: the device stays on 1.0.0.').waitFor();
      await result.getByText(/Its rollout is at 1% and does not include this device yet/).waitFor();
      await page.getByText('Values of the update check').click();
      await page.getByLabel('Version', { exact: true }).fill('old');
      await page.keyboard.press('Enter');
      await page.getByText('The version must be one like 1.2.3.').waitFor();
      await page.getByLabel('Version', { exact: true }).fill('0.9.0');
      await page.keyboard.press('Enter');
      const asIf = section('Test an update check');
      await asIf.getByText('The device gets 1.0.0').waitFor();
      await page.getByLabel('Native version').fill('');
      await press('Check', page.locator('main'));
      await asIf
        .getByText(
          /The device gets 1\.0\.0 \(build \d+\) only if its update checks send native version 2\.0 or newer, or no native version\./,
        )
        .waitFor();
      await page.getByLabel('Native version').fill('3.0');
      await press('Check', page.locator('main'));
      await asIf.getByText('Its native version is 3.0.0.').waitFor();
      const changed = page.getByText('The input has changed.');
      expect(await changed.count()).toBe(0);
      await page.getByLabel('Platform').selectOption('android');
      await changed.waitFor();
      await press('Check', page.locator('main'));
      await asIf.getByText('runs 0.9.0 on Android').waitFor();
      await page.getByLabel('Embedded version').fill('9');
      await press('Check', page.locator('main'));
      await asIf.getByText('It is not newer than 9.0.0, the bundle inside the native app.').first().waitFor();
      expect(await changed.count()).toBe(0);
      expect(await scene.barriers()).toEqual([]);
      await page.getByLabel('Number of the build').fill('9999');
      await press('Pin device', page.locator('main'));
      await page.getByRole('alert').getByText('There is no build 9999.').waitFor();
      await page.getByLabel('Number of the build').fill(String(next));
      await press('Pin device', page.locator('main'));
      const pins = page.getByRole('list', { name: 'Pins of the device' });
      await pins.getByText(`Pinned to build ${next} until`).waitFor();
      await result.getByText('It matches the device, and the device is pinned to it.').waitFor();
      await press('Check', page.locator('main'));
      await asIf.getByText('The device is pinned to it, but the pin does not change this.').waitFor();
      await press(`Unpin from build ${next}`, page.locator('main'));
      await pins.getByText('The device is not pinned.').waitFor();
      await result.getByText('No update: the device stays on 1.0.0.').waitFor();
      const [exported] = await Promise.all([page.waitForEvent('download'), press('Export data', page.locator('main'))]);
      expect(JSON.parse(await readFile(await exported.path(), 'utf8'))).toMatchObject({
        state: { version: '1.0.0', native_version: '3.0.0', platform: 'ios', last_outcome: null },
        reports: [{ report: 'active', version: '1.0.0', platform: 'ios' }],
      });
      await press('Delete data…', page.locator('main'));
      expect(await scene.barriers()).toEqual([]);
      await press('Delete permanently');
      await page.getByText('1 report deleted.').waitFor();
      await page.getByText('Sluice has no report from this device.').waitFor();

      await page.getByRole('link', { name: 'History', exact: true }).click();
      await page.getByRole('listitem').getByText('operator rotated the signing key').first().waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.getByLabel('Event').selectOption('Build uploaded');
      await press('Show', page.locator('.history-filter'));
      await page.getByText('2 entries, newest first').waitFor();
      await page.getByLabel('Build number').fill('x');
      await page.keyboard.press('Enter');
      await page.getByText('The build must be the id of a build.').waitFor();

      // Before anything was uploaded, then as it is.
      await page.getByText('Builds at a point in time').click();
      await page.getByLabel('Time', { exact: true }).fill('2026-01-01T12:00:00');
      await press('Show builds', page.locator('main'));
      await page.getByText(/^0 builds at /).waitFor();
      await page.getByLabel('Time', { exact: true }).fill('2199-01-01T12:00:00');
      await press('Show builds', page.locator('main'));
      await page.locator('[data-faults-of="as_of"]').getByText('must not be in the future').waitFor();
      const now = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
      await page.getByLabel('Time', { exact: true }).fill(now);
      await press('Show builds', page.locator('main'));
      await page.getByRole('row', { name: '1.1.0 build 2 production Rolling out 1%' }).waitFor();
      expect(await scene.barriers()).toEqual([]);

      await owner('DELETE', '/apps/2');
      await scene.open('/apps/2/history');
      await page.getByRole('heading', { level: 1, name: 'Other' }).waitFor();
      await page.getByRole('listitem').getByText('finished the deletion of the app').waitFor();
    },
    2 * MINUTE,
  );

  it(
    'shows the operator the state of the installation, creates owners, and issues a new owner key that outlives the session',
    async () => {
      const { page } = scene;
      await scene.open('/account');
      await page.getByText('Operator of this installation').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByText('100 MiB').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.getByRole('link', { name: 'Health' }).click();
      await page.getByRole('heading', { name: 'merchant-sync' }).waitFor();
      // All services are one process.
      const shared = page.locator('.card', { has: page.getByRole('heading', { level: 3, name: 'All services' }) });
      await shared.last().getByText('event store').waitFor();
      expect(await page.getByText('event store').count()).toBe(1);
      expect(await scene.barriers()).toEqual([]);

      await page.getByRole('link', { name: 'Owners' }).click();
      await press('New owner', page.locator('main'));
      await dialog().getByLabel('Name').fill(' ');
      await press('Create owner');
      await dialog().getByText('The name must not be empty.').waitFor();
      await dialog().getByLabel('Name').fill('Team B');
      await press('Create owner');
      const secret = dialog().locator('code', { hasText: /^svc_own_/ });
      const theirs = await secret.innerText();
      await press('I have copied it');
      await press('Rotate the key of Team B', page.locator('main'));
      await press('Rotate key');
      const second = await secret.innerText();
      expect(second).not.toBe(theirs);
      await press('I have copied it');
      expect(await page.content()).not.toContain(second);
      expect(await scene.barriers()).toEqual([]);

      await page.getByRole('link', { name: 'Read models' }).click();
      await press('Verify the read model tokens', page.locator('main'));
      await press('Verify');
      await page.getByText('The only row matches the events.').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await press('Rebuild the read model tokens', page.locator('main'));
      await dialog().getByText('The current one stays in use until then.').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await press('Rebuild');
      await page.getByText(/^Rebuild Completed/).waitFor();
      await dialog().waitFor({ state: 'detached' });
      await press('Verify the read model tokens', page.locator('main'));
      await press('Verify');
      await page.getByText('The only row matches the events.').waitFor();

      // Of another owner: nothing of the installation.
      const other = await scene.newPage();
      await scene.signIn(other, second);
      await scene.open('/account', other);
      await other.getByText('Owner of apps').waitFor();
      expect(await other.getByRole('link', { name: 'Health' }).count()).toBe(0);

      await page.getByRole('link', { name: 'Your account' }).click();
      await press('Rotate your owner key', page.locator('main'));
      await press('Rotate key');
      const mine = await secret.innerText();
      // The session is over, and the key is still shown.
      await page.getByLabel('Owner key', { exact: true }).waitFor({ state: 'attached' });
      expect(await secret.innerText()).toBe(mine);
      expect(await scene.barriers()).toEqual([]);
      await press('I have copied it');
      expect(await page.content()).not.toContain(mine);
      await page.getByLabel('Owner key', { exact: true }).fill(mine);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Console' }).waitFor();
    },
    2 * MINUTE,
  );
});
