import type { Build } from '@sluice/contracts';
import { describeInChromium } from '../support/chromium';
import { call } from '../support/http';
import { asOwner } from './as-owner';
import { consoleScene } from './harness';

const MINUTE = 60_000;

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
      await card('1.1.1').getByText('Only for devices that run the recalled build 2').waitFor();
      await card('1.0.0').getByText('All devices with an older version').waitFor();
      expect(await build(2)).toMatchObject({ status: 'paused', recall_reason: 'White screen.', recall_target: 1 });

      await card('1.1.0').getByRole('link', { name: '1.1.0' }).click();
      const recall = page.getByRole('region', { name: 'Recall', exact: true });
      await recall.getByText('version 1.1.1, which is build 1').waitFor();
      await recall.getByText('0% of these devices have the replacement').waitFor();
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
});
