import { randomBytes } from 'node:crypto';
import type { ApiKey, App, AppChannel, Build, Restrictions } from '@sluice/contracts';
import type { Locator, Page } from 'playwright-core';
import { describeInChromium } from '../support/chromium';
import { call } from '../support/http';
import { zipOf } from '../support/zip';
import { asOwner } from './as-owner';
import { consoleScene } from './harness';

const MINUTE = 60_000;
const DAY_MS = 86_400_000;

describeInChromium('the work of a person in the console', () => {
  const scene = consoleScene({ JOB_CONTENT_RETRY_DELAYS_MS: '10,20,40' });
  const { ask, release } = asOwner(scene);

  const dialog = (page: Page = scene.page) => page.locator('.dialog').last();
  const press = (name: string, within: Locator = dialog()) =>
    within.getByRole('button', { name, exact: true }).first().click();
  const card = (version: string) => scene.page.getByRole('article', { name: `${version} in production` });
  const build = (id: number) => ask<Build>('GET', `/apps/1/builds/${id}`);
  const toast = (words: string | RegExp) => scene.page.locator('.toast', { hasText: words });
  const choose = async (label: string, entry: string | RegExp) => {
    await scene.page.getByRole('button', { name: `Actions for ${label}` }).click();
    await scene.page.getByRole('menuitem', { name: entry }).click();
  };
  const bundle = async (page: Page, name: string, content: Buffer) =>
    dialog(page).locator('input[type=file]').setInputFiles({ name, mimeType: 'application/zip', buffer: content });

  beforeAll(async () => {
    await ask('POST', '/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    await release(1, '1.0.0', 100);
    await release(1, '1.1.0', 20);
    await ask('POST', '/apps/1/api-keys', { name: 'Store' });
    await scene.signIn();
  }, MINUTE);

  it(
    'does immediately what can be undone, and offers to undo it, but never over the change of another person',
    async () => {
      await scene.open('/apps/1');
      await press('Halt rollout', card('1.1.0'));
      await toast('1.1.0 in production halted.').waitFor();
      expect((await build(2)).rollout_enabled).toBe(false);
      expect(await scene.barriers()).toEqual([]);
      await press('Undo', toast('1.1.0 in production halted.'));
      await toast('Undone.').waitFor();
      expect((await build(2)).rollout_enabled).toBe(true);
      await card('1.1.0').getByRole('button', { name: 'Halt rollout', exact: true }).waitFor();

      // Halted and paused: one way back for both.
      await press('Halt rollout', card('1.1.0'));
      await card('1.1.0').getByRole('button', { name: 'Resume rollout' }).waitFor();
      await choose('1.1.0 in production', /^Pause/);
      await toast('1.1.0 in production paused.').waitFor();
      await choose('1.1.0 in production', /^Resume/);
      await toast('1.1.0 in production resumed.').waitFor();
      expect(await build(2)).toMatchObject({ status: 'active', rollout_enabled: true });
      await ask('PATCH', '/apps/1/builds/2', { mandatory: true });
      await press('Undo', toast('1.1.0 in production resumed.'));
      await toast('Undo failed. It was changed elsewhere in the meantime.').waitFor();
      expect(await build(2)).toMatchObject({ status: 'active', rollout_enabled: true, mandatory: true });
      await ask('PATCH', '/apps/1/builds/2', { mandatory: false });
    },
    MINUTE,
  );

  it(
    'asks for a name before all devices lose their updates, and undoes restrictions',
    async () => {
      const { page } = scene;
      await scene.open('/apps/1/api-keys');
      for (const [entry, verb] of [
        ['Rotate', 'Rotate'],
        ['Revoke', 'Revoke permanently'],
        ['Delete', 'Delete permanently'],
      ] as const) {
        await choose('Store', entry);
        const button = dialog().getByRole('button', { name: verb, exact: true });
        expect([entry, await button.isDisabled(), await button.getAttribute('class')]).toEqual([
          ...[entry, true, 'button danger'],
        ]);
        await dialog().getByText('No device has used it yet.').waitFor();
        await press('Cancel');
        await dialog().waitFor({ state: 'detached' });
      }
      await choose('Store', 'Restrictions');
      await dialog().getByText('any app or web page can use the key, for every channel').waitFor();
      await dialog().getByLabel('Web origins').fill('https://shop.example.com');
      await dialog().getByText('they get no updates').waitFor();
      await press('Save');
      await page.getByText('Only 1 web origin').waitFor();
      await press('Undo', toast('Restrictions of “Store” saved.'));
      await page.getByText('None: any app or web page can use the key').waitFor();

      // A key for one channel keeps it when another restriction is saved.
      await ask('PATCH', '/apps/1/api-keys/1/restrictions', { channels: ['staging'] });
      await page.getByText('Any app or web page, but only for the channel staging').waitFor();
      await choose('Store', 'Restrictions');
      await dialog().getByText('valid only for the channels below').waitFor();
      expect(await dialog().getByLabel('Channels').inputValue()).toBe('staging');
      await dialog().getByLabel('Web origins').fill('https://shop.example.com');
      expect(await scene.barriers()).toEqual([]);
      await press('Save');
      await page.getByText('Only 1 web origin, for the channel staging').waitFor();
      const { restrictions } = await ask<ApiKey>('GET', '/apps/1/api-keys/1');
      expect(restrictions).toEqual({ origins: ['https://shop.example.com'], channels: ['staging'] });
      await choose('Store', 'Restrictions');
      await dialog().getByLabel('Channels').fill('production\nnightly');
      await press('Save');
      await dialog().getByText('another channel of the app').waitFor();
      await press('Cancel');
      await ask('PATCH', '/apps/1/api-keys/1/restrictions', {});
    },
    MINUTE,
  );

  it(
    'shows in an open dialog what was changed elsewhere, with both values, and overwrites nothing unseen',
    async () => {
      const { page } = scene;
      await scene.open('/apps/1');
      await press('Change rollout…', card('1.1.0'));
      const share = dialog().getByRole('spinbutton', { name: 'Rollout percentage' });
      await share.fill('25');
      await ask('PATCH', '/apps/1/builds/2/rollout', { rollout_percentage: 40 });
      const news = dialog().getByText('Rollout: was 20%, is now 40%. You entered 25%');
      await news.waitFor();
      expect(await scene.barriers()).toEqual([]);
      const [refused] = await Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/builds/2/rollout')),
        press('Apply'),
      ]);
      expect([refused.status(), (await build(2)).rollout_percentage]).toEqual([412, 40]);
      await news.waitFor();
      await press('Use theirs');
      expect(await share.inputValue()).toBe('40');
      await news.waitFor({ state: 'detached' });

      await share.fill('30');
      await ask('PATCH', '/apps/1/builds/2/rollout', { rollout_percentage: 45 });
      await dialog().getByText('Rollout: was 40%, is now 45%. You entered 30%').waitFor();
      await press('Keep mine');
      await press('Apply');
      await card('1.1.0').getByText('30% of devices').waitFor();
      expect((await build(2)).rollout_percentage).toBe(30);

      await choose('1.1.0 in production', /^Edit/);
      await dialog().getByLabel('Release notes').fill('Mine');
      await ask('PATCH', '/apps/1/builds/2', { release_notes: 'Theirs' });
      await dialog().getByText('Release notes: was none, is now “Theirs”. You entered “Mine”').waitFor();
      await press('Keep mine');
      await press('Save');
      await toast('1.1.0 in production saved.').waitFor();
      expect((await build(2)).release_notes).toBe('Mine');

      await release(1, '1.2.0', 10);
      await card('1.2.0').waitFor();
      await press('Change rollout…', card('1.2.0'));
      await ask('DELETE', '/apps/1/builds/3');
      await toast('1.2.0 in production was deleted in the meantime.').waitFor();
      await dialog().waitFor({ state: 'detached' });
    },
    MINUTE,
  );

  it(
    'shows the same of a key and a channel, applies only what the person changed, and says which one was deleted',
    async () => {
      const { page } = scene;
      const key = () => ask<ApiKey>('GET', '/apps/1/api-keys/1');
      const restrict = (of: Restrictions) => ask('PATCH', '/apps/1/api-keys/1/restrictions', of);
      const refused = async (path: string): Promise<void> => {
        const [response] = await Promise.all([
          page.waitForResponse((each) => each.url().endsWith(path) && each.request().method() === 'PATCH'),
          press('Save'),
        ]);
        expect(response.status()).toBe(412);
      };
      await scene.open('/apps/1/api-keys');
      await choose('Store', 'Restrictions');
      await dialog().getByLabel('Web origins').fill('https://mine.example.com');
      const ios = [{ bundle_id: 'com.example.shop' }];
      await restrict({ origins: ['https://theirs.example.com'], ios, channels: ['staging'] });
      const news = dialog().getByText(
        'Web origins: was none, is now https://theirs.example.com. You entered https://mine.example.com',
      );
      await news.waitFor();
      await dialog().getByText('iOS apps: was none, is now com.example.shop').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await refused('/api-keys/1/restrictions');
      await news.waitFor();
      await press('Keep mine');
      await press('Save');
      await toast('Restrictions of “Store” saved.').waitFor();
      expect((await key()).restrictions).toEqual({ origins: ['https://mine.example.com'], ios, channels: ['staging'] });
      await restrict({ origins: ['https://other.example.com'] });
      await press('Undo', toast('Restrictions of “Store” saved.'));
      await toast('Undo failed. It was changed elsewhere in the meantime.').waitFor();
      expect((await key()).restrictions).toEqual({ origins: ['https://other.example.com'] });
      await restrict({});

      const { id } = await ask<ApiKey>('POST', '/apps/1/api-keys', { name: 'CI' });
      await page.getByRole('heading', { name: 'CI' }).waitFor();
      await choose('CI', 'Revoke');
      await ask('POST', `/apps/1/api-keys/${id}/deprecate`);
      await dialog().getByText('State: was active, is now deprecated').waitFor();
      await press('Continue');
      await ask('DELETE', `/apps/1/api-keys/${id}`);
      await toast('The key “CI” was deleted in the meantime.').waitFor();
      await dialog().waitFor({ state: 'detached' });

      const channel = (method: string, body?: object) => ask<AppChannel>(method, '/apps/1/channels/beta', body);
      await ask('POST', '/apps/1/channels', { name: 'beta' });
      await scene.open('/apps/1');
      await choose('the channel beta', /^Edit/);
      await dialog().getByLabel('Devices may choose it').check();
      await channel('PATCH', { audience: { pinned_only: true } });
      await dialog().getByText('Audience: was none, is now Only pinned devices').waitFor();
      await refused('/channels/beta');
      await press('Keep mine');
      await press('Save');
      await toast('Channel beta saved.').waitFor();
      expect(await channel('GET')).toMatchObject({ self_assign: true, audience: { pinned_only: true } });
      await choose('the channel beta', /^Delete/);
      await dialog().getByRole('textbox').waitFor();
      await channel('DELETE');
      await ask('POST', '/apps/1/channels', { name: 'beta' });
      await toast('The channel beta was deleted in the meantime.').waitFor();
      await dialog().waitFor({ state: 'detached' });
      await channel('DELETE');
    },
    MINUTE,
  );

  it(
    'shows the same of the settings of an app and of a device group',
    async () => {
      const { page } = scene;
      const section = (name: string) => page.getByRole('region', { name, exact: true }).first();
      const notes = page.getByText('The app Shop was changed elsewhere in the meantime.');
      await scene.open('/apps/1/settings');
      const details = section('Name and platform');
      await details.getByLabel('Name').fill('Store');
      await ask('PATCH', '/apps/1', { platform: 'ios', keep_builds: 5 });
      await details.getByText(/^Platform: was .*, is now iOS$/).waitFor();
      expect(await notes.count()).toBe(2);
      expect(await scene.barriers()).toEqual([]);
      await press('Use theirs', section('Old builds'));
      expect(await section('Old builds').getByLabel('How many').inputValue()).toBe('5');
      const [response] = await Promise.all([
        page.waitForResponse((each) => each.url().endsWith('/apps/1') && each.request().method() === 'PATCH'),
        press('Save', details),
      ]);
      expect(response.status()).toBe(412);
      await press('Keep mine', details);
      await press('Save', details);
      await toast('Settings saved.').waitFor();
      expect(await ask<App>('GET', '/apps/1')).toMatchObject({ name: 'Store', platform: 'ios', keep_builds: 5 });
      // What a person saves in one form is no change of another person in the others.
      expect(await page.getByText('was changed elsewhere in the meantime.').count()).toBe(0);
      await ask('PATCH', '/apps/1', { name: 'Shop', platform: 'both', keep_builds: null });

      const replace = (lines: string) => {
        const form = new FormData();
        form.set('file', new Blob([lines]), 'devices.txt');
        return ask('POST', '/apps/1/groups/testers', form);
      };
      await replace('one');
      await scene.open('/apps/1/devices');
      await choose('the group testers', /^Delete/);
      await replace('one\ntwo');
      await dialog().getByText('Devices: was 1, is now 2').waitFor();
      await press('Continue');
      await ask('DELETE', '/apps/1/groups/testers');
      await toast('The device group testers was deleted in the meantime.').waitFor();
      await dialog().waitFor({ state: 'detached' });
    },
    MINUTE,
  );

  it(
    'signs in again during any work, and then sends it',
    async () => {
      const { page } = scene;
      const signIn = async (): Promise<void> => {
        await page.getByRole('heading', { name: 'Your session ended' }).waitFor();
        await dialog().getByLabel('Owner key').fill(scene.ownerKey);
        await press('Sign in');
        await page.getByRole('heading', { name: 'Your session ended' }).waitFor({ state: 'detached' });
      };
      /** Presses the button also when a question of the page has met the end of the session before. */
      const pressSignedOut = async (button: Locator): Promise<void> => {
        const element = await button.elementHandle();
        await page.context().clearCookies();
        await element.evaluate((each) => (each as HTMLElement).click());
      };
      const button = (name: string, within: Locator) => within.getByRole('button', { name, exact: true }).first();
      await scene.open('/apps/1/builds/2');
      await press('Edit', page.locator('main'));
      await dialog().getByLabel('Release notes').fill('Typed before the session ended.');
      await pressSignedOut(button('Save', dialog()));
      await page.getByRole('heading', { name: 'Your session ended' }).waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.keyboard.press('Escape');
      await page.mouse.click(5, 5);
      await dialog().getByLabel('Owner key').fill('svc_own_wrong');
      await press('Sign in');
      await dialog().getByText('This owner key is not valid on this installation.').waitFor();
      await signIn();
      await toast('1.1.0 in production saved.').waitFor();
      expect((await build(2)).release_notes).toBe('Typed before the session ended.');
      await dialog().waitFor({ state: 'detached' });

      // During an upload.
      await scene.open('/apps/1');
      await press('Upload a build to staging', page.locator('main'));
      await bundle(page, 'shop-3.0.0.zip', await zipOf({ 'index.html': '<h1>3</h1>' }));
      await dialog().getByLabel('Release notes').fill('Kept.');
      await pressSignedOut(button('Upload', dialog()));
      await signIn();
      await dialog().getByText('is ready. Devices in the rollout get it').waitFor();
      await press('Close');
      expect((await ask<Build[]>('GET', '/apps/1/builds?channel=staging'))[0]).toMatchObject({
        release_notes: 'Kept.',
      });

      // On a screen, and left.
      await scene.open('/apps/1/settings');
      await page.getByRole('textbox', { name: 'Name' }).fill('Harbour');
      await pressSignedOut(button('Save', page.locator('main')));
      await signIn();
      await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();
      await pressSignedOut(button('Save', page.locator('main')));
      await press('Discard changes');
      await page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();
      await scene.signIn();
    },
    2 * MINUTE,
  );

  it(
    'says of an upload what is so: while it is sent, when it failed and when it is ready',
    async () => {
      const { page } = scene;
      await scene.open('/apps/1');
      await press('Upload a build to development', page.locator('main'));
      await bundle(page, 'shop-1.0.0.zip', await zipOf({ 'big.bin': randomBytes(150_000) }));
      const notes = dialog().getByLabel('Release notes');
      await notes.fill('Slow.');
      const network = await page.context().newCDPSession(page);
      const throttle = (uploadThroughput: number) =>
        network.send('Network.emulateNetworkConditions', {
          ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput },
        });
      await network.send('Network.enable');
      await throttle(5_000);
      await press('Upload');
      // Nothing can be changed of what is being sent: its progress takes the form's place.
      await dialog().getByRole('progressbar', { name: 'Sending 1.0.0 to development' }).waitFor();
      await dialog()
        .getByText(/ KiB of 1\d\d\.?\d* KiB/)
        .waitFor();
      expect(await notes.isVisible()).toBe(false);
      expect(await scene.barriers()).toEqual([]);
      await press('Cancel the upload');
      await throttle(-1);
      await notes.waitFor();
      expect(await notes.inputValue()).toBe('Slow.');

      await bundle(page, 'shop-1.0.0.zip', (await zipOf({ 'index.html': 'damaged' })).fill(7, 40, 60));
      await press('Upload');
      await dialog().getByText('failed its check. Nothing changes for devices in development.').waitFor();
      const steps = dialog().locator('.steps li');
      expect(await steps.locator('strong').allInnerTexts()).toEqual(['Received', 'Queued', 'Check failed']);
      expect(await steps.last().getAttribute('class')).toBe('failed');
      expect(await scene.barriers()).toEqual([]);
      await press('Close');
    },
    MINUTE,
  );

  it.each([
    ['wide', 1280, 800],
    ['as a phone', 360, 740],
  ])(
    'keeps what changes for devices in view while an upload is described, on a screen that is %s',
    async (_, width, height) => {
      const page = await scene.newPage({ width, height });
      await scene.signIn(page);
      await scene.open('/apps/1', page);
      await page.getByRole('button', { name: 'Upload a build to production' }).click();
      await dialog(page).getByLabel('Version', { exact: true }).fill('4.0.0');
      const changes = dialog(page).getByText('All devices with an older version get 4.0.0');
      await changes.waitFor();
      const heading = dialog(page).getByRole('heading', { name: 'Upload a build to production' });
      for (const field of [
        dialog(page).getByText('Choose a zip'),
        dialog(page).getByText('Native compatibility and signature'),
      ]) {
        await field.evaluate((element) => element.scrollIntoView({ block: 'nearest' }));
        for (const seen of [changes, heading]) expect(await isSeen(seen)).toBe(true);
      }
      await dialog(page).getByLabel('Version', { exact: true }).fill('1.0.0');
      await dialog(page)
        .locator('[data-faults-of="version"]')
        .getByText(/^1\.0\.0 in production already exists \(build 1/)
        .waitFor();
      expect(await scene.barriers(page)).toEqual([]);
      await page.context().close();
    },
    MINUTE,
  );

  it('keeps the actions of each row within reach on a phone, and offers nothing there that only a mouse can do', async () => {
    const phone = await scene.newPage({ width: 360, height: 740, touch: true });
    await ask('POST', '/tokens', { name: 'ci of the shop and of its neighbours', all_apps: true });
    await scene.signIn(phone);
    await scene.open('/apps/1', phone);
    await phone.getByRole('region', { name: 'production', exact: true }).waitFor();
    expect(await phone.getByText('Drag a build to another channel').isVisible()).toBe(false);
    for (const path of ['/apps/1/builds', '/tokens']) {
      await scene.open(path, phone);
      const menu = phone.getByRole('button', { name: /^Actions for/ }).first();
      await menu.waitFor();
      expect([path, await isSeen(menu)]).toEqual([path, true]);
      await menu.click();
      await phone.getByRole('menuitem').first().waitFor();
      expect([path, await scene.barriers(phone)]).toEqual([path, []]);
    }
    await phone.context().close();
  });

  it('moves through a menu by keys, and closes it by keys or a press elsewhere', async () => {
    const { page } = scene;
    await scene.open('/tokens');
    const button = page.getByRole('button', { name: /^Actions for/ }).first();
    const menu = page.getByRole('menu');
    const focused = () => page.evaluate(() => document.activeElement?.querySelector('span')?.firstChild?.textContent);
    const items = async () => (await menu.getByRole('menuitem').allInnerTexts()).map((text) => text.split('\n')[0]);
    await button.focus();
    await page.keyboard.press('ArrowDown');
    const names = await items();
    expect(names.length).toBeGreaterThan(2);
    expect(await focused()).toBe(names[0]);
    const steps = [
      ['ArrowDown', names[1]],
      ['End', names.at(-1)],
      ['ArrowDown', names[0]],
      ['ArrowUp', names.at(-1)],
      ['Home', names[0]],
      [names.at(-1)!.charAt(0), names.find((name) => name!.startsWith(names.at(-1)!.charAt(0)) && name !== names[0])],
    ] as const;
    for (const [key, name] of steps) {
      await page.keyboard.press(key);
      expect([key, await focused()]).toEqual([key, name]);
    }
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);

    await page.keyboard.press('Enter');
    expect(await focused()).toBe(names[0]);
    await page.keyboard.press('Tab');
    await menu.waitFor({ state: 'detached' });
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(false);

    await button.click();
    expect(await page.evaluate(() => document.activeElement?.role)).toBe('menu');
    await page.mouse.click(5, 5);
    await menu.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/console/tokens');
  });

  it('keeps a menu within the window, and gives it a scrollbar where it is too long', async () => {
    const small = await scene.newPage({ width: 360, height: 300 });
    await scene.signIn(small);
    await scene.open('/apps/1/builds', small);
    for (const button of [
      small.getByRole('button', { name: /^Actions for/ }).first(),
      small.getByRole('button', { name: /^Actions for/ }).last(),
    ]) {
      await button.click();
      const menu = (await small.getByRole('menu').boundingBox())!;
      expect(menu.x).toBeGreaterThanOrEqual(0);
      expect(menu.y).toBeGreaterThanOrEqual(0);
      expect(menu.x + menu.width).toBeLessThanOrEqual(360);
      expect(menu.y + menu.height).toBeLessThanOrEqual(300);
      await small.keyboard.press('End');
      const last = (await small.getByRole('menuitem').last().boundingBox())!;
      expect(last.y + last.height).toBeLessThanOrEqual(menu.y + menu.height);
      await small.keyboard.press('Escape');
    }
    await small.context().close();
  });

  it('keeps the fields and buttons of the history apart, and in line', async () => {
    const { page } = scene;
    await scene.open('/apps/1/history');
    const boxes = await Promise.all(
      ['Event', 'Who', 'Build number', 'From', 'To'].map((name) =>
        page.getByLabel(name, { exact: true }).boundingBox(),
      ),
    );
    const [first] = boxes;
    for (const box of boxes.filter((each) => Math.abs(each!.y - first!.y) < 20)) {
      expect([box!.y, box!.height]).toEqual([first!.y, first!.height]);
    }
    await page.getByText('Builds at a point in time').click();
    const [field, button] = await Promise.all([
      page.getByLabel('Time', { exact: true }).boundingBox(),
      page.getByRole('button', { name: 'Show builds' }).boundingBox(),
    ]);
    const isApart = button!.y >= field!.y + field!.height || button!.x >= field!.x + field!.width;
    expect([isApart, field!.x + field!.width <= 1280]).toEqual([true, true]);
  });

  it(
    'leads a new app to its first update check: on the channel that has a build, with the new key, until it arrives',
    async () => {
      const { page } = scene;
      const { id } = await ask<{ id: number }>('POST', '/apps', { name: 'Tide', bundle_id: 'com.example.tide' });
      await scene.open(`/apps/${id}`);
      const steps = page.getByRole('region', { name: 'First steps' });
      const command = steps.locator('pre').first();
      await command.getByText('YOUR_KEY').waitFor();
      await press('Upload a build…', steps);
      await press('Cancel');
      await press('Upload a build to staging', page.locator('main'));
      await bundle(page, 'tide-1.0.0.zip', await zipOf({ 'index.html': '<h1>Tide</h1>' }));
      await press('Upload');
      await dialog().getByText('is ready. Devices in the rollout get it').waitFor();
      await press('Close');
      await command.getByText('channel=staging').waitFor();
      await press('Create an API key', steps);
      await dialog().getByLabel('Name').fill('Phones');
      await press('Create key');
      await command.getByText(/X-API-Key: svc_app_/).waitFor();
      await steps.getByText('Waiting for the first update check').waitFor();
      await steps.getByText(/updateUrl: '.*\/compat\/capgo\/svc_app_\w+-staging\/updates'/).waitFor();
      await steps.getByLabel('Client').selectOption('A client of your own: the requests, with curl');
      await steps.getByText('sha256sum -c').waitFor();
      await steps.getByLabel('Client').selectOption('Expo Updates');
      await steps.getByText('"expo-channel-name": "staging"').waitFor();
      expect(await scene.barriers()).toEqual([]);

      const line = await command.innerText();
      const [address = ''] = /(?<=^curl ')[^']+/.exec(line) ?? [];
      const headers = [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']) => [name, value]);
      const { body } = await call(address, { headers: Object.fromEntries(headers) as Record<string, string> });
      expect(body).toMatchObject({ available: true, version: '1.0.0' });
      await steps.getByText(/^A device on iOS asked at \d+:\d\d.* and got 1\.0\.0\./).waitFor({ timeout: 30_000 });
      await page.reload();
      await page.getByRole('region', { name: 'staging', exact: true }).getByText('1.0.0').waitFor();
      await page.getByText('Drop a zip onto a channel').waitFor();
      await steps.waitFor({ state: 'detached' });
      await scene.open(`/apps/${id}/api-keys`);
      await press('Configure your app…', page.locator('main'));
      await dialog().getByLabel('Client').selectOption('Expo Updates');
      await dialog().getByText('"expo-channel-name": "staging"').waitFor();
      expect(await scene.barriers()).toEqual([]);
    },
    MINUTE,
  );

  it(
    'answers in a chart for the day that is pointed at or chosen by keys, and gives a version one colour whatever the days',
    async () => {
      const { page } = scene;
      const [devices] = scene.deployment.devices;
      const { plaintext_key: key } = await ask<{ plaintext_key: string }>('POST', '/apps/1/api-keys', {
        name: 'Chart',
      });
      for (const [device, version] of [
        ['a', '1.0.0'],
        ['b', '1.10.0'],
        ['c', '1.10.0'],
        ['d', '1.9.0'],
      ] as const) {
        const headers = { 'X-API-Key': key, 'X-Device-ID': device, 'X-Bundle-Version': version, 'X-Platform': 'ios' };
        expect((await call(`${devices!}/api/v1/analytics/mau`, { method: 'POST', headers })).status).toBe(200);
      }
      const dayWords = (at: number) =>
        new Date(at).toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
      const today = Date.now();
      await scene.open('/apps/1/adoption');
      const section = page.getByRole('region', { name: 'Active devices by version', exact: true });
      await section.getByText(`On ${dayWords(today)}: 4 active devices`).waitFor();
      // Newest first.
      expect(await section.locator('.legend strong').allInnerTexts()).toEqual(['1.10.0', '1.9.0', '1.0.0']);

      const areas = section.locator('.day-area');
      await areas.nth(-2).hover();
      await section.getByText(`On ${dayWords(today - DAY_MS)}: 0 active devices`).waitFor();
      await page.mouse.move(5, 5);
      await section.getByText(`On ${dayWords(today)}: 4 active devices`).waitFor();
      const slider = section.getByRole('slider');
      await slider.focus();
      await page.keyboard.press('ArrowLeft');
      await section.getByText(`On ${dayWords(today - DAY_MS)}: 0 active devices`).waitFor();
      expect(await slider.getAttribute('aria-valuetext')).toBe(
        `${dayWords(today - DAY_MS)}: 1.10.0: 0, 1.9.0: 0, 1.0.0: 0`,
      );
      expect(await scene.barriers()).toEqual([]);

      // The last day has its name on the axis, and no bar passes the topmost number.
      const short = new Date(today).toLocaleDateString('en-US', { day: 'numeric', month: 'short', timeZone: 'UTC' });
      expect(await section.locator('.axis .day').last().textContent()).toBe(short);
      const tops = await section
        .locator('.bar')
        .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('y'))));
      const topmost = await section.locator('.axis .count').last().getAttribute('y');
      expect(Math.min(...tops)).toBeGreaterThanOrEqual(Number(topmost) - 5);

      const colours = async () =>
        Object.fromEntries(
          await section
            .locator('.legend li')
            .evaluateAll((all) =>
              all.map((each) => [each.querySelector('strong')?.textContent, each.querySelector('rect')?.classList[0]]),
            ),
        ) as Record<string, string>;
      const before = await colours();
      expect(new Set(Object.values(before)).size).toBe(3);
      await page.getByLabel('Period').selectOption('7');
      await section.locator('.day-area').nth(7).waitFor({ state: 'detached' });
      expect(await colours()).toEqual(before);
    },
    MINUTE,
  );

  it(
    'finds and does everything by keys: the palette, single keys and their list, but no single key while a person types',
    async () => {
      const { page } = scene;
      const find = async (text: string, result: RegExp) => {
        const field = page.getByRole('combobox', { name: 'Find an app' });
        // That of an earlier search has closed.
        await field.waitFor({ state: 'detached' });
        await page.keyboard.press('Control+k');
        await field.waitFor();
        await page.keyboard.type(text);
        const option = page.getByRole('option', { selected: true });
        await option.filter({ hasText: result }).waitFor();
        return option;
      };
      const url = (path: string) => page.waitForURL(`**/console${path}`);
      const { id: kiosk } = await ask<{ id: number }>('POST', '/apps', {
        name: 'Kiosk',
        bundle_id: 'com.example.kiosk',
      });
      await ask('PATCH', '/apps/1/builds/2', { status: 'active' });
      await ask('PATCH', '/apps/1/builds/2/rollout', { enabled: true });
      await scene.open('/apps');

      await find('kiosk', /^Kiosk/);
      expect(await scene.barriers()).toEqual([]);
      await page.keyboard.press('Enter');
      await url(`/apps/${kiosk}`);
      await page.getByRole('heading', { level: 1, name: 'Kiosk' }).waitFor();
      // No channel offers it, so only the server finds it.
      await find('1.0.0 production', /^1\.0\.0 in production/);
      await page.keyboard.press('Escape');
      await find('1.1.0', /^1\.1\.0 in production/);
      await page.keyboard.press('Enter');
      await url('/apps/1/builds/2');
      await page.getByRole('heading', { name: '1.1.0 in production' }).waitFor();
      // Immediately, because it can be undone.
      await find('pause 1.1', /^Pause build 1\.1\.0/);
      await page.keyboard.press('Enter');
      await toast('1.1.0 in production paused.').waitFor();
      await find('resume 1.1', /^Resume build 1\.1\.0/);
      await page.keyboard.press('Enter');
      await toast('1.1.0 in production resumed.').waitFor();
      await find('roll back 1.1', /^Recall 1\.1\.0/);
      await page.keyboard.press('Enter');
      await dialog().getByLabel('Reason').waitFor();
      // In a dialog, the letters are input.
      await page.keyboard.type('u?/gb');
      expect(await dialog().getByLabel('Reason').inputValue()).toBe('u?/gb');
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });

      await page.keyboard.press('Control+k');
      await page.keyboard.press('ArrowUp');
      await page.getByRole('option', { selected: true, name: /Sign out/ }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('combobox', { name: 'Find an app' }).waitFor({ state: 'detached' });
      await page.keyboard.press('g');
      await page.keyboard.press('r');
      await url('/apps/1');
      await page.keyboard.press('u');
      await dialog().getByRole('heading', { name: 'Upload a build to staging' }).waitFor();
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await dialog().getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.keyboard.press('Escape');
      await page.keyboard.press('g');
      await page.keyboard.press('a');
      await url('/apps');
      await page.getByRole('link', { name: 'Kiosk' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('g');
      expect(await page.getByRole('searchbox').inputValue()).toBe('g');

      // A link from elsewhere opens a dialog, but changes nothing by itself.
      await scene.open('/apps/1/builds/2?do=pause');
      await page.getByRole('button', { name: 'Actions for 1.1.0 in production' }).waitFor();
      await scene.open('/apps/1/builds/2?do=promote');
      await dialog()
        .getByRole('heading', { name: /Promote/ })
        .waitFor();
      await url('/apps/1/builds/2');
      expect(await ask('GET', '/apps/1/builds/2')).toMatchObject({ status: 'active' });

      await scene.open('/account');
      await page.getByLabel('Use keyboard shortcuts of one key').uncheck();
      await page.getByRole('heading', { level: 1 }).click();
      await page.keyboard.press('?');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find an app' }).waitFor();
      expect(await page.getByRole('heading', { name: 'Keyboard shortcuts' }).count()).toBe(0);
      await page.keyboard.press('Escape');
      await page.getByLabel('Use keyboard shortcuts of one key').check();
    },
    MINUTE,
  );

  it(
    'shows the activity of all apps live, in sentences by day, with filters in the address',
    async () => {
      const { page } = scene;
      const { id } = await ask<{ id: number }>('POST', '/apps', { name: 'Reef', bundle_id: 'com.example.reef' });
      await scene.open('/activity');
      const entry = (words: string | RegExp) => page.getByRole('listitem').filter({ hasText: words }).first();
      await page.getByRole('heading', { level: 3, name: 'Today' }).waitFor();
      await entry('operator created the app “Reef”').waitFor();
      // Without a reload.
      await ask('PATCH', `/apps/${id}`, { description: 'Tides and reefs.' });
      const changed = entry('operator edited the app');
      await changed.getByRole('link', { name: 'Reef' }).waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.getByLabel('Event').selectOption('App created');
      await page.keyboard.press('Enter');
      await press('Show', page.locator('.history-filter'));
      await page.waitForURL(/\/activity\?type=AppRegistered$/);
      await changed.waitFor({ state: 'detached' });
      await page.reload();
      await entry('operator created the app “Reef”').waitFor();
      // The history of one app has the same sentences and filters.
      await page.getByLabel('App', { exact: true }).selectOption('Reef');
      expect(new URL(page.url()).pathname).toBe('/console/activity');
      await press('Show', page.locator('.history-filter'));
      await page.waitForURL(`**/apps/${id}/history?type=AppRegistered`);
      await page.getByText('1 entry, newest first').waitFor();
      await entry('operator created the app “Reef”').waitFor();
    },
    MINUTE,
  );

  it('keeps the frame if a screen or the palette no longer loads, as after an upgrade', async () => {
    // React prints the error that a boundary catches, so the scene does not listen to this page.
    const page = await scene.page.context().newPage();
    const failing = /\/assets\/(activity|palette)-.*\.js$/;
    await page.route(failing, (route) => route.fulfill({ status: 404 }));
    await scene.open('/apps', page);
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('alert').getByText('This page could not be loaded.').waitFor();
    expect(await scene.barriers(page)).toEqual([]);
    await page.keyboard.press('Control+k');
    await page.getByText('The command palette could not be loaded.').waitFor();
    await page.getByRole('link', { name: 'Apps', exact: true }).click();
    await page.getByRole('link', { name: 'Kiosk' }).waitFor();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.unroute(failing);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { level: 3, name: 'Today' }).waitFor();
    await page.close();
  });

  it('shows by keys the board as it was at an earlier time, and changes nothing there', async () => {
    const { page } = scene;
    await scene.open('/apps/1');
    const slider = page.getByRole('slider', { name: 'Show the releases as of' });
    expect(await slider.getAttribute('aria-valuetext')).toBe('Now');
    await slider.focus();
    await page.keyboard.press('Home');
    await page.waitForURL(/\?asOf=/);
    await page.getByText(/^The active builds at /).waitFor();
    const production = page.getByRole('region', { name: 'production', exact: true });
    await production.getByRole('heading', { name: 'No active build' }).waitFor();
    expect(await production.getByRole('button').count()).toBe(0);
    expect(await slider.getAttribute('aria-valuetext')).not.toBe('Now');
    expect(await scene.barriers()).toEqual([]);
    await page.reload();
    await production.getByRole('heading', { name: 'No active build' }).waitFor();
    await scene.open('/apps/1?asOf=2999-01-01T00:00:00Z');
    await production.getByRole('button', { name: 'Upload a build to production' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Back to now' }).press('Enter');
    await page.waitForURL(/\/apps\/1$/);
    await production.getByRole('button', { name: 'Upload a build to production' }).waitFor();
  });
});

/** Whether a person sees the middle of it, uncovered and within the window. */
function isSeen(place: Locator): Promise<boolean> {
  return place.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const seen = document.elementFromPoint(left + width / 2, top + height / 2);
    return seen !== null && (element.contains(seen) || seen.contains(element));
  });
}
