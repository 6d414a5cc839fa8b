import { describeInChromium } from '../support/chromium';
import { zipOf } from '../support/zip';
import { consoleScene } from './harness';

/** Of a scenario of many steps. */
const LONG_MS = 120_000;

describeInChromium('what the release screens refuse, ask and keep', () => {
  const scene = consoleScene({ APP_LIMIT: '2' });
  let appPath: string;

  const dialog = () => scene.page.locator('.dialog');
  const press = (name: string | RegExp) => dialog().getByRole('button', { name, exact: true }).click();
  const fault = (field: string, words: string) =>
    dialog().locator(`[data-faults-of="${field}"] .fault`).getByText(words).waitFor();
  const card = (version: string, of: string) => scene.page.getByRole('article', { name: `${version} in ${of}` });
  const menu = async (version: string, of: string, entry: RegExp) => {
    await scene.page.getByRole('button', { name: `Actions for ${version} in ${of}` }).click();
    await scene.page.getByRole('menuitem', { name: entry }).click();
    await dialog().waitFor();
  };
  const choose = (buffer: Buffer, name = 'bundle.zip') =>
    dialog().locator('input[type=file]').setInputFiles({ name, mimeType: 'application/zip', buffer });
  const bundle = () => zipOf({ 'index.html': '<h1>Tide</h1>' });
  /** What holds the keyboard: a dialog, the screen, or nothing that a person knows of. */
  const focused = () =>
    scene.page.evaluate(() => {
      const place = ['dialog', 'main'].find((name) => document.activeElement?.closest(`.${name}, ${name}`));
      return place ?? document.activeElement?.tagName;
    });
  const upload = async (channel: string, version: string, file: Buffer) => {
    await scene.page.getByRole('button', { name: `Upload a build to ${channel}` }).click();
    await choose(file);
    await dialog().getByLabel('Version', { exact: true }).fill(version);
    await press('Upload');
    await dialog().getByRole('list').getByText('Received').waitFor();
  };

  it(
    'shows the fault of each field of a new app next to it, and how many apps there may be',
    async () => {
      const { page } = scene;
      await scene.signIn();
      const make = async (name: string, id: string) => {
        await scene.open('/apps');
        await page.getByRole('button', { name: /^(New app|Create your first app)$/ }).click();
        await dialog().getByLabel('Name').fill(name);
        await dialog().getByLabel('Bundle id').fill(id);
        await press('Create app');
      };
      await make(' ', 'harbour');
      await fault('name', 'The name must not be empty.');
      await fault('bundle_id', 'Enter an ID like com.example.shop.');
      expect(await scene.barriers()).toEqual([]);
      await make('Harbour', 'com.example.harbour');
      await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();
      await make('Tide', 'com.example.harbour');
      await fault('bundle_id', 'Another app has this bundle ID. Choose another one, or leave it empty.');
      await dialog().getByLabel('Bundle id').fill('com.example.tide');
      await press('Create app');
      await page.getByRole('heading', { level: 1, name: 'Tide' }).waitFor();
      appPath = new URL(page.url()).pathname.replace('/console', '');
      await make('Third', 'com.example.third');
      await dialog().getByRole('alert').getByText('2 apps are all in use.').waitFor();

      await scene.open(`${appPath}/settings`);
      await page.getByRole('textbox', { name: 'Name' }).fill('  ');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator('[data-faults-of="name"] .fault').getByText('The name must not be empty.').waitFor();
    },
    LONG_MS,
  );

  it(
    'leads a new app to its first device, warns of a bundle without a start page, and asks before input is lost',
    async () => {
      const { page } = scene;
      await scene.open(appPath);
      const steps = page.getByRole('region', { name: 'First steps' });
      await steps.getByText(`${scene.address}/api/v1/updates/check?channel=production`).waitFor();
      await steps.getByRole('button', { name: 'Create an API key' }).waitFor();
      expect(await scene.barriers()).toEqual([]);

      await page.getByRole('button', { name: 'Upload a build to development' }).click();
      await choose(await zipOf({ 'app.js': '1' }));
      await dialog().getByText('This zip has no index.html.').waitFor();
      await choose(await zipOf({ 'www/app.js': '1', 'www/index.html': '<h1>Tide</h1>' }));
      await dialog().getByText('The index.html of this zip is in the folder www/').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await choose(await bundle());
      await dialog().getByText('index.html').waitFor({ state: 'detached' });

      const notes = dialog().getByLabel('Release notes');
      await notes.fill('Tides of the week.');
      await page.keyboard.press('Escape');
      await dialog().getByRole('alert').getByText('Discard changes?').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await press('Keep editing');
      expect(await notes.inputValue()).toBe('Tides of the week.');
      expect(await notes.evaluate((field) => field === document.activeElement)).toBe(true);
      await page.mouse.click(5, 5);
      await press('Discard');
      await dialog().waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Upload a build to development' }).click();
      expect(await notes.inputValue()).toBe('');
      await notes.fill('x'.repeat(5_001));
      await dialog().getByRole('spinbutton', { name: 'Rollout percentage' }).fill('0');
      await choose(await bundle());
      await press('Upload');
      await fault('release_notes', 'The release notes must have at most 5000 characters.');
      await dialog().getByText('Enter a whole number from 1 to 100.').waitFor();
      await press('Cancel');
    },
    LONG_MS,
  );

  it(
    'foretells what the server says of a version, and begins a promotion where the channel is',
    async () => {
      const { page } = scene;
      await upload('development', '1.0.0', await bundle());
      expect(await focused()).toBe('dialog');
      await page.keyboard.press('Escape');
      await card('1.0.0', 'development').getByText('All devices').waitFor();
      await page.getByRole('region', { name: 'First steps' }).getByText('done').waitFor();

      await menu('1.0.0', 'development', /^Promote/);
      await dialog().getByRole('button', { name: 'Promote to staging' }).waitFor();
      await dialog().getByRole('spinbutton', { name: 'Rollout percentage' }).fill('130');
      await press('Promote to staging');
      await dialog().getByText('Enter a whole number from 0 to 100.').waitFor();
      await dialog().getByRole('spinbutton', { name: 'Rollout percentage' }).fill('30');
      await press('Promote to staging');
      await card('1.0.0', 'staging').getByText('30% of devices').waitFor();

      await page.getByRole('button', { name: 'Upload a build to development' }).click();
      const version = dialog().getByLabel('Version', { exact: true });
      await version.fill('0.9.0');
      await dialog().getByText('Must be higher than 1.0.0, the newest active version in development.').waitFor();
      await choose(await bundle());
      await press('Upload');
      await fault('version', 'The version must be higher than 1.0.0, the newest active version in the channel.');
      await version.fill('1.0.0');
      await dialog()
        .getByText(/^1\.0\.0 in development already exists \(build \d+, live\)\./)
        .waitFor();
      expect(await scene.barriers()).toEqual([]);
      await version.fill('1.1.0');
      await press('Upload');
      await dialog().getByRole('list').getByText('Received').waitFor();
      await page.keyboard.press('Escape');
      await card('1.1.0', 'development').getByText('All devices').waitFor();

      await menu('1.1.0', 'development', /^Promote/);
      await dialog()
        .getByText('In staging, 1.0.0 is rolled out to 30% of devices. 1.1.0 also starts with 30% in staging.')
        .waitFor();
      expect(await dialog().getByRole('spinbutton', { name: 'Rollout percentage' }).inputValue()).toBe('30');
      await press('Promote to staging');
      await card('1.1.0', 'staging').getByText('30% of devices').waitFor();
      // Where it is already is not where it is proposed to go.
      await menu('1.1.0', 'development', /^Promote/);
      await dialog().getByRole('button', { name: 'Promote to production' }).waitFor();
      await dialog().getByLabel('Target channel').selectOption('staging');
      await dialog()
        .getByText(/^1\.1\.0 in staging already exists \(build \d+, rolling out 30%\)\./)
        .waitFor();
      expect(await scene.barriers()).toEqual([]);
      await press('Cancel');
    },
    LONG_MS,
  );

  it(
    'says in a dialog what came in between, and of a failed build that its version is taken',
    async () => {
      const { page } = scene;
      await upload('development', '1.2.0', (await bundle()).fill(7, 40, 60));
      await dialog().getByText('You can use version 1.2.0 again.').waitFor();
      await page.keyboard.press('Escape');
      await card('1.2.0', 'development').getByText('Failed', { exact: true }).waitFor();
      await card('1.2.0', 'development').getByRole('link', { name: '1.2.0' }).click();
      await page.getByRole('region', { name: 'Bundle check' }).getByText('Check failed').waitFor();
      await scene.open(appPath);
      await upload('development', '1.2.0', await bundle());
      await page.keyboard.press('Escape');
      await card('1.2.0', 'development').getByText('All devices').waitFor();

      await scene.open(`${appPath}/builds?status=failed`);
      await menu('1.2.0', 'development', /^Archive/);
      await press('Archive');
      await dialog().getByRole('alert').getByText('Version 1.2.0 exists in development already.').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await press('Cancel');

      await scene.open(`${appPath}/builds?channel=staging`);
      const address = await page.getByRole('link', { name: '1.1.0' }).getAttribute('href');
      const id = Number(address?.split('/').at(-1));
      await menu('1.1.0', 'staging', /^Edit/);
      await dialog().getByLabel('Minimum native version').fill('soon');
      await press('Save');
      await fault('min_native_version', 'Enter a version, for example 2.1.');
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByLabel('Minimum native version').fill('2');
      const path = `${scene.address}/api/dashboard/v1${appPath}/builds/${id}`;
      await fetch(path, { method: 'DELETE', headers: { Authorization: `Bearer ${scene.ownerKey}` } });
      await page.getByRole('status').getByText('1.1.0 in staging was deleted in the meantime.').waitFor();
      await dialog().waitFor({ state: 'detached' });

      await scene.open(`${appPath}/builds/${id}`);
      await page.getByRole('heading', { name: `Build ${id} not found` }).waitFor();
      await page
        .getByRole('region', { name: 'History' })
        .getByText(`operator deleted 1.1.0 (build ${id}) in staging`)
        .waitFor();
      await scene.open(`${appPath}/builds/999`);
      await page.getByRole('heading', { name: 'Build 999 not found' }).waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      expect(await scene.barriers()).toEqual([]);
      await scene.open('/apps/999');
      await page.getByRole('heading', { name: 'App not found' }).waitFor();
    },
    LONG_MS,
  );

  it(
    'gives the focus a place when what had it is deleted',
    async () => {
      const { page } = scene;
      await scene.open(`${appPath}/builds?channel=staging`);
      await menu('1.0.0', 'staging', /^Delete/);
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });
      expect(await scene.page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Actions for 1.0.0 in staging');
      await menu('1.0.0', 'staging', /^Delete/);
      await dialog().getByRole('textbox').fill('1.0.0');
      await press('Delete permanently');
      await page.getByRole('heading', { name: 'No matching builds' }).waitFor();
      await dialog().waitFor({ state: 'detached' });
      expect(await focused()).toBe('main');

      await scene.open(`${appPath}/settings`);
      await page.getByRole('button', { name: 'Delete this app' }).click();
      await dialog().getByRole('textbox').fill('com.example.tide');
      await press('Delete permanently');
      await page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor();
      await dialog().waitFor({ state: 'detached' });
      expect(await focused()).toBe('main');
    },
    LONG_MS,
  );
});
