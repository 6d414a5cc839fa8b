import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describeInChromium } from '../support/chromium';
import { checkUpdate } from '../support/http';
import { zipOf } from '../support/zip';
import { consoleScene } from './harness';

/** Of a scenario of many steps. */
const LONG_MS = 120_000;
const MAX_BUNDLE_BYTES = 200_000;

/** Drags a file from outside the page onto what `name` names, as a person does it. */
async function dropFile(page: Page, name: string, path: string): Promise<void> {
  const column = page.getByRole('region', { name, exact: true });
  // Below the first steps, a column may be outside the window, where nothing can be dropped.
  await column.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  const box = await column.boundingBox();
  if (box === null) throw new Error(`There is no ${name} to drop ${path} onto.`);
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  const at = { x: box.x + box.width / 2, y: box.y + 80 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, data, ...at });
  }
  await session.detach();
}

describeInChromium('releases in the console', () => {
  const scene = consoleScene({
    MAX_BUNDLE_BYTES: String(MAX_BUNDLE_BYTES),
    JOB_CONTENT_RETRY_DELAYS_MS: '10,20,40',
  });
  let appPath: string;
  let apiKey: string;

  /** A bundle as a file on disk. */
  async function bundleFile(name: string, content?: Buffer): Promise<string> {
    const path = join(scene.deployment.dataDir, name);
    await writeFile(path, content ?? (await zipOf({ 'index.html': `<h1>${name}</h1>` })));
    return path;
  }

  const channel = (name: string) => scene.page.getByRole('region', { name, exact: true });
  const card = (version: string, of: string) => scene.page.getByRole('article', { name: `${version} in ${of}` });
  const dialog = () => scene.page.locator('.dialog');
  const menu = async (version: string, of: string, entry: RegExp) => {
    await scene.page.getByRole('button', { name: `Actions for ${version} in ${of}` }).click();
    await scene.page.getByRole('menuitem', { name: entry }).click();
  };
  const offered = async (device: string, of = 'production', current = '0.0.1') => {
    const { body } = await checkUpdate(scene.address, apiKey, device, current, of);
    return body.available ? body.version : undefined;
  };

  it(
    'makes a first release by mouse: from sign-in to a device that is answered the new version',
    async () => {
      const { page } = scene;
      await scene.signIn();
      await page.getByRole('heading', { name: 'No apps yet' }).waitFor();
      await page.getByText('An app is what your users install').waitFor();
      expect(await page.locator('main .button.primary').allInnerTexts()).toEqual(['Create your first app']);
      expect(await scene.barriers()).toEqual([]);
      await page.getByRole('button', { name: 'Create your first app' }).click();
      await dialog().getByLabel('Name').fill('Harbour Shop');
      await dialog().getByLabel('Bundle id').fill('com.example.harbour');
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByRole('button', { name: 'Create app' }).click();

      await page.getByRole('heading', { level: 1, name: 'Harbour Shop' }).waitFor();
      appPath = new URL(page.url()).pathname.replace('/console', '');
      for (const name of ['production', 'staging', 'development']) {
        await channel(name).getByRole('heading', { name: 'No build yet' }).waitFor();
      }
      expect(await scene.barriers()).toEqual([]);

      await page.getByRole('link', { name: 'API keys' }).click();
      await page.getByRole('button', { name: 'New API key' }).first().click();
      await dialog().getByLabel('Name').fill('installs');
      await dialog().getByRole('button', { name: 'Create key' }).click();
      apiKey = (
        await dialog()
          .getByText(/^svc_app_/)
          .innerText()
      ).trim();
      await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
      expect(await offered('first')).toBeUndefined();

      await page.getByRole('link', { name: 'Releases' }).click();
      await channel('production').waitFor();
      await dropFile(page, 'production', await bundleFile('harbour-1.2.0.zip'));
      await dialog().getByText('harbour-1.2.0.zip').waitFor();
      expect(await dialog().getByLabel('Version', { exact: true }).inputValue()).toBe('1.2.0');
      await dialog().getByText('All devices with an older version get 1.2.0').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByRole('button', { name: 'Upload', exact: true }).click();
      await dialog().getByText('Ready', { exact: true }).and(page.locator('.done strong')).waitFor();
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByRole('button', { name: 'Close' }).last().click();
      await card('1.2.0', 'production').getByText('All devices').waitFor();
      expect(await offered('first')).toBe('1.2.0');
    },
    LONG_MS,
  );

  it(
    'shows each rejection of an upload next to its cause, and why a damaged bundle failed',
    async () => {
      const { page } = scene;
      await scene.open(appPath);
      const fault = (field: string, words: string) =>
        dialog().locator(`[data-faults-of="${field}"] .fault`).getByText(words).waitFor();
      const upload = () => dialog().getByRole('button', { name: 'Upload', exact: true }).click();
      const choose = (buffer: Buffer, name = 'bundle.zip') =>
        dialog().locator('input[type=file]').setInputFiles({ name, mimeType: 'application/zip', buffer });
      const version = dialog().getByLabel('Version', { exact: true });

      await page.getByRole('button', { name: 'Upload a build to production' }).click();
      expect(await version.inputValue()).toBe('1.2.1');
      await upload();
      await fault('file', 'Choose the bundle: a zip of your app’s web files.');
      await choose(Buffer.from('no zip'));
      await upload();
      await fault('file', 'The file is not a zip archive.');
      await choose(await zipOf({ 'big.bin': randomBytes(MAX_BUNDLE_BYTES) }));
      await upload();
      await fault('file', 'The file is larger than the 195 KiB allowed.');
      expect(await scene.barriers()).toEqual([]);

      const damaged = (await zipOf({ 'index.html': 'damaged' })).fill(7, 40, 60);
      await choose(damaged);
      await version.fill('1.2.0');
      await upload();
      await fault('version', 'Version 1.2.0 exists in production already.');
      await version.fill('1.1.0');
      await dialog().getByText('Must be higher than 1.2.0, the newest active version in production.').waitFor();
      await upload();
      await fault('version', 'The version must be higher than 1.2.0, the newest active version in the channel.');
      await version.fill('1.3');
      await dialog().getByText('Native compatibility and signature').click();
      await dialog().getByLabel('Signature').fill('no base64!');
      await dialog().getByText('Native compatibility and signature').click();
      await upload();
      await fault('version', 'Enter three numbers, for example 1.4.0.');
      // It is shown again with its fault.
      await fault('signature', 'Enter a signature in Base64.');
      await dialog().getByLabel('Signature').fill('');
      await version.fill('1.2.9');
      await upload();
      await dialog().getByText('You can use version 1.2.9 again.').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.keyboard.press('Escape');
      await card('1.2.9', 'production').getByText('Failed', { exact: true }).waitFor();
      expect(await offered('first')).toBe('1.2.0');
    },
    LONG_MS,
  );

  it(
    'cancels an upload while it is being sent, and keeps nothing of it',
    async () => {
      const { page } = scene;
      await scene.open(appPath);
      const slow = await page.context().newCDPSession(page);
      await page.getByRole('button', { name: 'Upload a build to staging' }).click();
      await dialog()
        .locator('input[type=file]')
        .setInputFiles(await bundleFile('slow-9.0.0.zip', await zipOf({ 'big.bin': randomBytes(150_000) })));
      await slow.send('Network.enable');
      await slow.send('Network.emulateNetworkConditions', {
        ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 5_000 },
      });
      await dialog().getByRole('button', { name: 'Upload', exact: true }).click();
      await dialog().getByRole('progressbar', { name: 'Sending 9.0.0 to staging' }).waitFor();
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByRole('button', { name: 'Cancel the upload' }).click();
      await page.getByText('Upload cancelled. Nothing was stored.').first().waitFor();
      await slow.send('Network.emulateNetworkConditions', {
        ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
      });
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await channel('staging').getByRole('heading', { name: 'No build yet' }).waitFor();
    },
    LONG_MS,
  );

  it(
    'promotes by dragging, and halts, resumes and raises the rollout',
    async () => {
      const { page } = scene;
      await scene.open(appPath);
      await page.getByRole('button', { name: 'Upload a build to staging' }).click();
      await dialog()
        .locator('input[type=file]')
        .setInputFiles(await bundleFile('harbour-1.3.0.zip'));
      await dialog().getByRole('button', { name: 'Upload', exact: true }).click();
      await dialog().getByText('Ready', { exact: true }).and(page.locator('.done strong')).waitFor();
      await page.keyboard.press('Escape');

      await card('1.3.0', 'staging').dragTo(channel('production'));
      await dialog().getByRole('heading', { name: 'Promote 1.3.0 from staging' }).waitFor();
      await dialog().getByRole('spinbutton', { name: 'Rollout percentage' }).fill('40');
      await dialog().getByText('40% of devices with an older version get 1.3.0 at their next update check.').waitFor();
      await dialog().getByText('At present, these devices get 1.2.0.').waitFor();
      await dialog().getByText('Other devices continue to get 1.2.0.').waitFor();
      await dialog().getByText('Devices with a newer version are not downgraded.').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByRole('button', { name: 'Promote to production' }).click();
      await card('1.3.0', 'production').getByText('Rolling out 40%').waitFor();
      await card('1.3.0', 'production').getByText('Offered to 40% of devices').waitFor();
      await card('1.2.0', 'production').getByText('Live').waitFor();
      await card('1.2.0', 'production').getByText('All other devices').waitFor();

      const devices = Array.from({ length: 20 }, (_, index) => `device-${index}`);
      const offers = async () => [...new Set(await Promise.all(devices.map((device) => offered(device))))].sort();
      expect(await offers()).toEqual(['1.2.0', '1.3.0']);

      await card('1.3.0', 'production').getByRole('button', { name: 'Halt rollout', exact: true }).click();
      await page.getByRole('status').getByText('1.3.0 in production halted.').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await card('1.3.0', 'production').getByText('Rollout halted: no more devices get it').waitFor();
      const badges = card('1.3.0', 'production').locator('.badge');
      expect(await badges.allInnerTexts()).toEqual(['Stopped']);
      expect(await offers()).toEqual(['1.2.0']);
      await card('1.3.0', 'production').getByRole('button', { name: 'Resume rollout' }).click();
      await card('1.3.0', 'production').getByText('Offered to 40% of devices').waitFor();
      expect(await offers()).toEqual(['1.2.0', '1.3.0']);

      // A share that is none stays as it was typed, and changes nothing.
      await card('1.3.0', 'production').getByRole('button', { name: 'Change rollout' }).click();
      await dialog().getByRole('spinbutton', { name: 'Rollout percentage' }).fill('250');
      await dialog().getByText('Enter a whole number from 0 to 100.').waitFor();
      await Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/rollout') && response.status() === 422),
        dialog().getByRole('button', { name: 'Apply' }).click(),
      ]);
      expect(await dialog().getByRole('spinbutton', { name: 'Rollout percentage' }).inputValue()).toBe('250');
      await dialog().getByRole('spinbutton', { name: 'Rollout percentage' }).fill('');
      await Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/rollout') && response.status() === 422),
        dialog().getByRole('button', { name: 'Apply' }).click(),
      ]);
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });
      await card('1.3.0', 'production').getByText('Offered to 40% of devices').waitFor();

      // By keyboard alone; the focus comes back to where it was.
      await card('1.3.0', 'production').getByRole('button', { name: 'Change rollout' }).focus();
      await page.keyboard.press('Enter');
      await dialog().getByRole('slider', { name: 'Rollout percentage' }).focus();
      await page.keyboard.press('End');
      await dialog().getByText('From 40% to 100% of devices.').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.keyboard.press('Home');
      await page.keyboard.press('PageUp');
      await page.keyboard.press('End');
      await dialog().getByRole('button', { name: 'Apply' }).focus();
      await page.keyboard.press('Enter');
      await card('1.3.0', 'production').getByText('All devices').waitFor();
      expect(await offers()).toEqual(['1.3.0']);
    },
    LONG_MS,
  );

  it(
    'promotes, pauses, resumes and archives by menu, and says why what can’t be done can’t',
    async () => {
      const { page } = scene;
      await scene.open(`${appPath}/builds`);
      await page.getByRole('button', { name: 'Actions for 1.2.9 in production' }).click();
      const refused = page.getByRole('menuitem', { name: /^Promote/ });
      await refused.getByText('Its check failed, so devices can’t get it.').waitFor();
      expect(await refused.getAttribute('aria-disabled')).toBe('true');
      expect(await scene.barriers()).toEqual([]);
      await page.keyboard.press('Escape');

      await scene.open(appPath);
      await menu('1.3.0', 'production', /^Promote/);
      await dialog().getByRole('button', { name: 'Promote to development' }).waitFor();
      await dialog().getByLabel('Target channel').selectOption('staging');
      await dialog().getByRole('button', { name: 'Promote to staging' }).click();
      await dialog()
        .locator('[data-faults-of="target_channel"] .fault')
        .getByText('Version 1.3.0 exists in staging already.')
        .waitFor();
      await dialog().getByLabel('Target channel').selectOption('development');
      await dialog().getByText('No other build is active in development.').waitFor();
      await dialog().getByRole('button', { name: 'Promote to development' }).click();
      await card('1.3.0', 'development').getByText('All devices').waitFor();
      expect(await offered('first', 'development')).toBe('1.3.0');

      await menu('1.3.0', 'production', /^Pause/);
      await card('1.3.0', 'production').getByText('Stopped', { exact: true }).waitFor();
      await card('1.2.0', 'production').getByText('All devices').waitFor();
      expect(await offered('first')).toBe('1.2.0');
      await menu('1.3.0', 'production', /^Resume/);
      await card('1.3.0', 'production').getByText('All devices').waitFor();
      expect(await offered('first')).toBe('1.3.0');
      await menu('1.3.0', 'development', /^Archive/);
      await channel('development').getByRole('heading', { name: 'No build yet' }).waitFor();
    },
    LONG_MS,
  );

  it(
    'finds a build among all, shows its details, edits it, and deletes it once its version is typed',
    async () => {
      const { page } = scene;
      await scene.open(appPath);
      await page.getByRole('link', { name: 'Builds', exact: true }).click();
      const rows = page.getByRole('region', { name: 'Builds, newest first' }).getByRole('rowheader');
      await rows.first().waitFor();
      expect(await rows.allInnerTexts()).toEqual(['1.3.0', '1.3.0', '1.3.0', '1.2.9', '1.2.0']);
      expect(await scene.barriers()).toEqual([]);
      await page.getByLabel('Channel').selectOption('production');
      await page.getByLabel('State').selectOption('failed');
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
      expect(await rows.allInnerTexts()).toEqual(['1.2.9']);
      await page.getByLabel('State').selectOption('paused');
      await page.getByRole('heading', { name: 'No matching builds' }).waitFor();
      await page.getByLabel('State').selectOption('active');
      await rows.nth(1).waitFor();
      await page.getByRole('link', { name: '1.2.0' }).click();

      await page.getByRole('heading', { name: /^1\.2\.0 in production \(build \d+\)$/ }).waitFor();
      await page
        .getByRole('region', { name: 'History' })
        .getByText(/uploaded 1\.2\.0/)
        .waitFor();
      await page.getByRole('region', { name: 'Bundle check' }).locator('.done').getByText('Ready').waitFor();
      await page
        .getByRole('list', { name: 'How many devices got how far' })
        .getByText('Installed', { exact: true })
        .waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.getByRole('button', { name: 'Edit' }).click();
      await dialog().getByLabel('Release notes').fill('Opens faster.');
      await dialog().getByLabel('Minimum native version').fill('soon');
      await dialog().getByRole('button', { name: 'Save' }).click();
      await dialog().getByText('Enter a version, for example 2.1.').waitFor();
      await dialog().getByLabel('Minimum native version').fill('2.1');
      await dialog().getByRole('button', { name: 'Save' }).click();
      await page.getByRole('region', { name: 'Release notes' }).getByText('Opens faster.').waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      await dialog().getByLabel('Native versions').fill('some');
      expect(await dialog().getByLabel('Minimum native version').inputValue()).toBe('');
      await dialog().getByLabel('Native fingerprint').fill('f00d');
      await dialog().getByRole('button', { name: 'Save' }).click();
      await dialog().getByText('Enter a semver range of at most 100 characters').waitFor();
      await dialog().getByLabel('Native versions').fill('>=2.1 <3');
      await dialog().getByRole('button', { name: 'Save' }).click();
      await page.locator('main').getByText('>=2.1 <3', { exact: true }).first().waitFor();
      await page.locator('main').getByText('f00d', { exact: true }).first().waitFor();

      await page.getByRole('button', { name: 'Actions for 1.2.0 in production' }).click();
      await page.getByRole('menuitem', { name: /^Delete/ }).click();
      const remove = dialog().getByRole('button', { name: 'Delete permanently' });
      expect(await remove.isDisabled()).toBe(true);
      await dialog().getByRole('textbox').fill('1.2.1');
      expect(await remove.isDisabled()).toBe(true);
      await dialog().getByRole('textbox').fill('1.2.0');
      expect(await scene.barriers()).toEqual([]);
      await remove.click();
      await rows.first().waitFor();
      await page.getByRole('link', { name: '1.2.0' }).waitFor({ state: 'detached' });
    },
    LONG_MS,
  );

  it(
    'fits a phone, whatever the screen',
    async () => {
      const page = await scene.newPage({ width: 360, height: 740 });
      await scene.signIn(page);
      for (const path of ['/apps', appPath, `${appPath}/builds`, `${appPath}/builds/1`, `${appPath}/settings`]) {
        await scene.open(path, page);
        await page.waitForFunction(() => document.querySelector('.loading') === null);
        expect([path, await scene.excess(page)]).toEqual([path, 0]);
      }
      await page.close();
    },
    LONG_MS,
  );

  it(
    'keeps menus next to their headings on a phone, shows whole rows, and hints at tabs that are cut off',
    async () => {
      const page = await scene.newPage({ width: 360, height: 740, touch: true });
      await scene.signIn(page);
      const boxOf = async (part: Locator) => (await part.boundingBox())!;
      const middleOf = ({ y, height }: { readonly y: number; readonly height: number }) => y + height / 2;

      await scene.open(`${appPath}/builds`, page);
      const list = page.getByRole('region', { name: 'Builds, newest first' });
      const row = list.getByRole('row').nth(1);
      const version = await boxOf(row.getByRole('rowheader'));
      const actions = await boxOf(row.getByRole('button', { name: /^Actions for/ }));
      expect(Math.abs(middleOf(actions) - middleOf(version))).toBeLessThan(4);
      expect(await list.evaluate((region) => region.scrollWidth - region.clientWidth)).toBe(0);
      expect(await row.getByRole('cell').count()).toBeGreaterThan(4);

      await row.getByRole('rowheader').getByRole('link').click();
      const card = page.getByRole('region', { name: /\(build \d+\)$/ });
      const heading = await boxOf(card.getByRole('heading', { level: 2 }));
      const menu = await boxOf(card.getByRole('button', { name: /^Actions for/ }));
      expect(Math.abs(middleOf(menu) - middleOf(heading))).toBeLessThan(4);
      expect(menu.x + menu.width).toBeGreaterThan(310);

      const arrowsOf = (at: Page, label: string) =>
        at
          .getByRole('navigation', { name: label })
          .evaluate((nav) => ['::before', '::after'].map((end) => getComputedStyle(nav, end).display !== 'none'));
      await scene.open(appPath, page);
      await page.waitForFunction(
        () => document.querySelector('.tabs[data-more-after]:not([data-more-before])') !== null,
      );
      expect(await arrowsOf(page, 'App')).toEqual([false, true]);
      await page.getByRole('link', { name: 'Adoption', exact: true }).click();
      await page.waitForFunction(() => document.querySelector('.tabs[data-more-before][data-more-after]') !== null);
      await page.getByRole('link', { name: 'Settings', exact: true }).click();
      await page.waitForFunction(
        () => document.querySelector('.tabs[data-more-before]:not([data-more-after])') !== null,
      );
      expect(await arrowsOf(page, 'App')).toEqual([true, false]);
      await page.close();
      await scene.open(appPath);
      expect(await arrowsOf(scene.page, 'App')).toEqual([false, false]);
    },
    LONG_MS,
  );

  it(
    'shows placeholders and the focus in both themes',
    async () => {
      const { page } = scene;
      await scene.open('/apps');
      await page.getByRole('button', { name: 'New app' }).click();
      const field = dialog().getByLabel('Bundle ID');
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const [text, ground] = await field.evaluate((input) => [
          getComputedStyle(input, '::placeholder').color,
          getComputedStyle(input).backgroundColor,
        ]);
        expect([colorScheme, contrast(text, ground) >= 4.5]).toEqual([colorScheme, true]);
      }
      await page.emulateMedia({ colorScheme: 'light' });
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });
      await scene.open(`${appPath}/builds`);
      const unmarked = new Set<string>();
      for (let count = 0; count < 25; count += 1) {
        await page.keyboard.press('Tab');
        const name = await page.evaluate(() => {
          const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement!);
          const isMarked = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
          return isMarked || document.activeElement === document.body ? '' : document.activeElement!.outerHTML;
        });
        if (name !== '') unmarked.add(name);
      }
      expect([...unmarked]).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'edits an app, deletes it once its id is typed, and keeps its history within reach',
    async () => {
      const { page } = scene;
      await scene.open(appPath);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Harbour');
      await page.getByRole('combobox', { name: 'Platform' }).selectOption('ios');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Harbour', exact: true }).waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.getByRole('button', { name: 'Delete this app' }).click();
      await dialog().getByRole('textbox').fill('com.example.harbour');
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByRole('button', { name: 'Delete permanently' }).click();
      await page.getByRole('heading', { name: 'No apps yet' }).waitFor();
      await page.getByRole('link', { name: 'Deleted apps' }).click();
      await page.getByRole('link', { name: 'History of Harbour' }).waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.getByRole('link', { name: 'History of Harbour' }).click();
      await page.getByRole('listitem').getByText('finished the deletion of the app').waitFor();
      expect((await checkUpdate(scene.address, apiKey, 'first', '0.0.1')).status).toBe(401);
    },
    LONG_MS,
  );
});

/** Of two colours such as `rgb(82, 98, 107)`, as WCAG defines it: from 1 to 21. */
function contrast(...colours: readonly [string, string]): number {
  const [darker = 0, lighter = 0] = colours
    .map((colour) => {
      const [red = 0, green = 0, blue = 0] = [...colour.matchAll(/[\d.]+/g)].map(([channel]) => {
        const share = Number(channel) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    })
    .sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}
