import type { AppChannel, Build } from '@sluice/contracts';
import { encryptForCapgo, newCapgoKeys } from '../support/capgo-encryption';
import { checkUpdate } from '../support/http';
import { zipOf } from '../support/zip';
import { describeInChromium } from '../support/chromium';
import { asOwner } from './as-owner';
import { consoleScene } from './harness';

const MINUTE = 60_000;
const DAY_MS = 86_400_000;
const CAPGO = newCapgoKeys();

describeInChromium('channels and audiences in the console', () => {
  const scene = consoleScene();
  const { ask, release } = asOwner(scene);
  const dialog = () => scene.page.locator('.dialog').last();
  const column = (name: string) => scene.page.locator('.channels').getByRole('region', { name, exact: true });
  const order = () => scene.page.locator('.channels > section').evaluateAll((all) => all.map((each) => each.ariaLabel));
  const press = (name: string | RegExp) => scene.page.getByRole('menuitem', { name }).click();
  const actions = (name: string) => scene.page.getByRole('button', { name: `Actions for ${name}`, exact: true });

  beforeAll(async () => {
    await ask('POST', '/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    await release(1, '1.0.0', 100);
    await scene.signIn();
  }, MINUTE);

  it(
    'adds a channel as a column, moves and collapses columns by keyboard, and keeps this for the next visit',
    async () => {
      const { page } = scene;
      await scene.open('/apps/1');
      expect(await order()).toEqual(['production', 'staging', 'development']);
      await page.getByRole('button', { name: 'Add channel…' }).click();
      await dialog().getByLabel('Name').fill('No Name');
      await dialog().getByRole('button', { name: 'Add channel' }).click();
      await dialog().locator('[data-faults-of="name"] .fault').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByLabel('Name').fill('beta');
      await dialog().getByRole('button', { name: 'Add channel' }).click();
      await column('beta').getByText('No build yet').waitFor();
      expect(await order()).toEqual(['production', 'staging', 'development', 'beta']);

      await actions('the channel beta').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Move before development' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.querySelectorAll('.channels > section')[2]?.ariaLabel === 'beta');
      expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Actions for the channel beta');
      const toast = page.locator('.toast', { hasText: 'beta moved.' });
      await toast.getByRole('button', { name: 'Undo' }).click();
      await toast.waitFor({ state: 'detached' });
      expect(await order()).toEqual(['production', 'staging', 'development', 'beta']);
      await actions('the channel beta').click();
      await press('Move before development');
      await actions('the channel staging').click();
      await press('Collapse');
      await column('staging').getByRole('button', { name: 'Expand staging' }).waitFor();
      expect(await scene.barriers()).toEqual([]);
      await page.reload();
      await column('beta').getByText('No build yet').waitFor();
      await column('staging').getByRole('button', { name: 'Expand staging' }).waitFor();
      expect(await order()).toEqual(['production', 'staging', 'beta', 'development']);
      await column('staging').getByRole('button', { name: 'Expand staging' }).click();
      await column('staging').getByText('No build yet').waitFor();
    },
    MINUTE,
  );

  it(
    'lists channels that expire apart, with their age and the address that opens an app, and deletes one',
    async () => {
      const { page } = scene;
      const expires_at = new Date(Date.now() + 3 * DAY_MS).toISOString();
      await ask<AppChannel>('POST', '/apps/1/channels', { name: 'pr-7', expires_at });
      await scene.open('/apps/1');
      const previews = page.getByRole('region', { name: 'Previews', exact: true }).first();
      await previews.getByRole('row', { name: /^pr-7 – just now in 3 days/ }).waitFor();
      expect(await order()).not.toContain('pr-7');
      expect(await scene.barriers()).toEqual([]);
      await actions('the channel pr-7').click();
      await press(/^Show link/);
      await dialog().getByRole('img', { name: 'QR code of the link' }).waitFor();
      await dialog()
        .getByText(/^sluice:\/\/preview#sluice_server=.*&sluice_channel=pr-7&sluice_key=/)
        .waitFor();
      await dialog().getByText('sluice preview show pr-7 --app 1 --open ADDRESS').waitFor();
      await dialog().getByText('Other devices can’t reach it').waitFor();
      await dialog().getByText('pr-7 offers no build yet.').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByRole('button', { name: 'Close' }).last().click();
      await dialog().waitFor({ state: 'detached' });
      expect(await ask<readonly unknown[]>('GET', '/apps/1/channels/pr-7/keys')).toHaveLength(1);
      await actions('the channel pr-7').click();
      await press(/^Delete channel/);
      await dialog().getByRole('textbox').fill('pr-7');
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByRole('button', { name: 'Delete permanently' }).click();
      await dialog().waitFor({ state: 'detached' });
      await previews.waitFor({ state: 'detached' });
      const left = await ask<readonly AppChannel[]>('GET', '/apps/1/channels');
      expect(left.map(({ name }) => name)).toEqual(['production', 'staging', 'development', 'beta']);
    },
    MINUTE,
  );

  it(
    'offers exactly one build to a phone by a QR code, which is renewed, and shows aliases and encrypted bundles',
    async () => {
      const { page } = scene;
      await scene.open('/apps/1/builds/1');
      const tryIt = page.getByRole('button', { name: 'Try it on a phone' });
      const shown = dialog().getByText(/^sluice:\/\/preview#/);
      const press = async () => {
        await tryIt.click();
        await dialog().getByRole('img', { name: 'QR code of the link' }).waitFor();
        await dialog().getByText('in 7 days').waitFor();
        return new URLSearchParams((await shown.innerText()).split('#')[1]);
      };
      const close = async () => {
        await dialog().getByRole('button', { name: 'Close' }).last().click();
        await dialog().waitFor({ state: 'detached' });
      };
      // The same from the palette, by the word for it.
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find an app' }).fill('create a preview');
      await page.getByRole('option', { name: /^Create a preview…/ }).click();
      expect(await dialog().getByLabel('Expires').inputValue()).toBe('7');
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await dialog().waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find an app' }).fill('preview 1.0.0');
      await page.getByRole('option', { name: /^1\.0\.0 in production: Try it on a phone/ }).click();
      await dialog().getByRole('img', { name: 'QR code of the link' }).waitFor();
      await close();
      const address = await press();
      expect(address.get('sluice_channel')).toBe('build-1');
      expect(await scene.barriers()).toEqual([]);
      const { body } = await checkUpdate(scene.address, address.get('sluice_key')!, 'phone', '0.0.1', 'build-1');
      expect(body).toMatchObject({ available: true, version: '1.0.0' });
      await close();
      const tomorrow = new Date(Date.now() + DAY_MS).toISOString();
      await ask('PATCH', '/apps/1/channels/build-1', { expires_at: tomorrow });
      expect((await press()).toString()).toBe(address.toString());
      await close();
      expect(await ask<readonly Build[]>('GET', '/apps/1/builds?channel=build-1')).toHaveLength(1);
      await page.getByText('Zip, for every update client').waitFor();

      const { file, delivery } = encryptForCapgo(await zipOf({ 'index.html': '1.1.0' }), CAPGO);
      const form = new FormData();
      for (const [name, value] of Object.entries({ version: '1.1.0', channel: 'staging' })) form.set(name, value);
      form.set('delivery', JSON.stringify(delivery));
      form.set('file', new Blob([Uint8Array.from(file)]), 'app.zip');
      const { id } = (await ask<{ build: Build }>('POST', '/apps/1/builds', form)).build;
      await scene.open(`/apps/1/builds/${id}`);
      await page.getByText(`for clients of Capgo alone that have the key ${CAPGO.keyId}`).waitFor();
      expect(await tryIt.count()).toBe(0);

      await ask('PATCH', '/apps/1', { channel_aliases: { Release: 'production', main: 'production' } });
      await scene.open('/apps/1');
      await column('production').getByText('Update clients also get it as “Release” and “main”.').waitFor();
      const imported = { name: 'iOS, from CodePush', key: 'aBcDefGhIjKlMnOpQrSt', platform: 'ios' };
      await ask('POST', '/apps/1/channels/production/keys', imported);
      await scene.open('/apps/1/api-keys');
      await page
        .getByRole('row', { name: /^iOS, from CodePush Imported aBcD…St production iOS Active never/ })
        .waitFor();
      expect(await page.getByText('preview build-1').count()).toBe(0);
      expect(await scene.barriers()).toEqual([]);
      await ask('DELETE', '/apps/1/channels/build-1');
      await ask('DELETE', `/apps/1/builds/${id}`);
    },
    MINUTE,
  );

  it(
    'sets attributes, groups, and the audiences of a build and of a channel, and shows them in words',
    async () => {
      const { page } = scene;
      await scene.open('/apps/1/settings');
      const attributes = page.getByRole('region', { name: 'Attributes of devices' });
      await attributes.getByRole('button', { name: 'Add an attribute' }).click();
      await attributes.getByLabel('Name').fill('Plan');
      await attributes.getByRole('button', { name: 'Save attributes' }).click();
      await attributes.getByText('must start with a lower-case letter').waitFor();
      await attributes.getByLabel('Name').fill('os');
      await attributes.getByLabel('Type').selectOption('version');
      await attributes.getByRole('button', { name: 'Save attributes' }).click();
      await page.locator('.toast', { hasText: 'Attributes saved.' }).waitFor();
      expect(await scene.barriers()).toEqual([]);

      await scene.open('/apps/1/devices#device=three');
      const groups = page.getByRole('region', { name: 'Device groups', exact: true }).first();
      await groups.getByRole('button', { name: 'Add group…' }).click();
      await dialog().getByLabel('Name').fill('beta');
      const list = (lines: string) => ({ name: 'beta.txt', mimeType: 'text/plain', buffer: Buffer.from(lines) });
      await dialog()
        .locator('input[type=file]')
        .setInputFiles(list(`one\n${'x'.repeat(300)}\n`));
      await dialog().getByRole('button', { name: 'Add group' }).click();
      await dialog()
        .getByText(/[Ll]ine 2/)
        .waitFor();
      expect(await scene.barriers()).toEqual([]);
      await dialog().locator('input[type=file]').setInputFiles(list('one\ntwo\n'));
      await dialog().getByRole('button', { name: 'Add group' }).click();
      await groups.getByRole('row', { name: /^beta 2 just now/ }).waitFor();
      await page.getByLabel('Pin to').selectOption('beta');
      await page.getByRole('button', { name: 'Pin device' }).click();
      const pins = page.getByRole('list', { name: 'Pins of the device' });
      await pins.getByText('Pinned in beta until').waitFor();
      await page.getByLabel('Pin to').selectOption('');
      await page.getByLabel('Number of the build').fill('1');
      await page.getByRole('button', { name: 'Pin device' }).click();
      await pins.getByText('Pinned to build 1 until').waitFor();

      await scene.open('/apps/1/builds/1');
      await page.getByRole('button', { name: 'Edit' }).click();
      await dialog().getByRole('checkbox', { name: 'beta', exact: true }).check();
      await dialog().getByLabel('Devices with os').selectOption('range');
      await dialog().getByLabel('Value of os').fill('soon');
      await dialog().getByRole('button', { name: 'Save' }).click();
      await dialog().locator('[data-faults-of="audience.attributes.os"] .fault').waitFor();
      await dialog().getByLabel('Value of os').fill('>=17');
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByRole('button', { name: 'Save' }).click();
      await page.locator('main').getByText('all devices, in group beta, with os 17+; also 1 pinned device').waitFor();
      expect((await ask<Build>('GET', '/apps/1/builds/1')).audience).toEqual({
        groups: ['beta'],
        attributes: { os: { range: '>=17' } },
      });
      await page.getByRole('button', { name: 'Actions for 1.0.0 in production' }).click();
      await press(/^Change rollout/);
      await dialog().getByRole('spinbutton', { name: 'Rollout percentage' }).fill('5');
      await dialog().getByLabel('Devices that get it first').selectOption('stable');
      await dialog().getByText('Other devices are included').waitFor();
      await dialog().getByRole('button', { name: 'Apply' }).click();
      await dialog().waitFor({ state: 'detached' });
      expect(await ask<Build>('GET', '/apps/1/builds/1')).toMatchObject({ ring: 'stable', rollout_percentage: 5 });
      await scene.open('/apps/1');
      await page.getByText('Offered to 5% of devices, in group beta, with os 17+; also to 1 pinned device').waitFor();
      expect(await scene.barriers()).toEqual([]);

      await actions('the channel beta').click();
      await press('Edit channel…');
      await dialog().getByLabel('Only pinned devices').check();
      await dialog().getByLabel('Devices may choose it').check();
      await dialog().getByRole('button', { name: 'Save' }).click();
      await column('beta').getByText('For 1 pinned device only').waitFor();
      expect(await ask<AppChannel>('GET', '/apps/1/channels/beta')).toMatchObject({ self_assign: true });
    },
    MINUTE,
  );

  it(
    'uploads a build for an audience, and fits a phone',
    async () => {
      await scene.open('/apps/1');
      await column('beta').getByRole('button', { name: 'Upload a build to beta' }).click();
      const zip = Buffer.from(await zipOf({ 'index.html': 'two' }));
      await dialog()
        .locator('input[type=file]')
        .setInputFiles({ name: 'www-2.0.0.zip', mimeType: 'application/zip', buffer: zip });
      await dialog().getByText('Audience, native compatibility and signature').click();
      await dialog().getByRole('checkbox', { name: 'beta', exact: true }).check();
      await dialog().getByText('Only these devices get 2.0.0: in group beta.').waitFor();
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByRole('button', { name: 'Upload', exact: true }).click();
      await dialog().getByText('is ready').waitFor();
      const [uploaded] = await ask<readonly Build[]>('GET', '/apps/1/builds?channel=beta');
      expect(uploaded?.audience).toEqual({ groups: ['beta'] });

      const phone = await scene.newPage({ width: 360, height: 740, touch: true });
      await scene.signIn(phone);
      for (const path of ['/apps/1', '/apps/1/builds/1', '/apps/1/devices#device=three', '/apps/1/settings']) {
        await scene.open(path, phone);
        await phone.waitForFunction(() => document.querySelector('.loading') === null);
        expect([path, await scene.excess(phone)]).toEqual([path, 0]);
      }
      await phone.close();
    },
    MINUTE,
  );
});
