import type { Adoption, BuildStats } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import type { Page } from 'playwright-core';
import { describeInChromium } from '../support/chromium';
import { call } from '../support/http';
import { asOwner } from './as-owner';
import { consoleScene } from './harness';

const MINUTE = 60_000;
/** As long as a name may be, and without a place to break it. */
const LONG = `Harbour${'r'.repeat(248)}`;
const COMMIT = '4f2a9c1d0e5b6a7c8d9e0f1a2b3c4d5e6f7a8b9c';
const METADATA = {
  ...{ commit: COMMIT, commit_url: `https://git.example.com/shop/commit/${COMMIT}`, author: '<b>Ada</b>' },
  ...{ run_url: 'https://ci.example.com/runs/7', script: 'javascript:alert(1)', note: 'x'.repeat(500) },
};
/** More tokens than a page of them holds. */
const TOKENS = 51;

/** Each screen that has no test of its own for these, with the title of its page. */
const SCREENS: readonly (readonly [path: string, title: string])[] = [
  ['/apps/1/api-keys', `API keys · ${LONG} · Sluice`],
  ['/apps/1/signing', `Signing · ${LONG} · Sluice`],
  ['/apps/1/adoption', `Adoption · ${LONG} · Sluice`],
  ['/apps/1/devices', `Devices · ${LONG} · Sluice`],
  ['/apps/1/history', `History · ${LONG} · Sluice`],
  ['/activity', 'Activity · Sluice'],
  ['/apps/1/builds/1', `1.0.0 in production (build 1) · ${LONG} · Sluice`],
  ['/tokens', 'Access tokens · Sluice'],
  ['/listings-ads', 'Listings and ads · Sluice'],
  ['/account', 'Your account · Account and installation · Sluice'],
  ['/account/settings', 'Settings · Account and installation · Sluice'],
  ['/account/health', 'Health · Account and installation · Sluice'],
  ['/account/owners', 'Owners · Account and installation · Sluice'],
  ['/account/read-models', 'Read models · Account and installation · Sluice'],
];

describeInChromium('the panels of the console', () => {
  const scene = consoleScene();
  const { ask, release } = asOwner(scene);
  const dialog = (page: Page = scene.page) => page.locator('.dialog');

  it(
    'counts what devices report of each build: downloads, installs, failures and rollbacks, as a chart and as a table',
    async () => {
      const { page } = scene;
      await ask('POST', '/apps', { name: LONG, bundle_id: 'com.example.shop' });
      await release(1, '1.0.0', 100, METADATA);
      const { plaintext_key: key } = await ask<{ plaintext_key: string }>('POST', '/apps/1/api-keys', { name: LONG });
      const [devices = ''] = scene.deployment.devices;
      const of = (device: string) => ({
        ...{ 'X-API-Key': key, 'X-Device-ID': device, 'X-Platform': 'ios', 'X-Current-Version': '0.9.0' },
        'Content-Type': 'application/json',
      });
      const check = await call<{ bundleId: string }>(`${devices}/api/v1/updates/check`, { headers: of('a') });
      const report = async (device: string, kind: 'download' | 'install', status: string, error?: string) => {
        const body = JSON.stringify({ bundle_id: check.body.bundleId, status, error });
        const answer = await call(`${devices}/api/v1/analytics/${kind}`, { method: 'POST', headers: of(device), body });
        expect(answer.status).toBe(200);
      };
      await report('a', 'download', 'complete');
      await report('a', 'install', 'complete');
      await report('b', 'download', 'failed', 'no room');
      for (const device of ['c', 'd']) {
        await report(device, 'download', 'complete');
        await report(device, 'install', 'failed', 'bad signature');
      }
      await report('e', 'install', 'rollback', 'crashed at start');
      // Offers are written now and then; the page would ask again only some seconds later.
      const isOffered = async () =>
        (await ask<BuildStats>('GET', '/apps/1/builds/1/stats')).days.some(({ offered }) => offered > 0);
      await eventually(isOffered, { everyMs: 100 });

      await scene.signIn();
      await scene.open('/apps/1/adoption');
      const outcomes = page.getByRole('region', { name: 'Failures and rollbacks' });
      // Build, failure rate, offered, downloads, failed, installs, failed, rollbacks.
      const row = outcomes.getByRole('row', { name: '1.0.0 75% 1 3 1 1 2 1' });
      await row.waitFor();
      // Four devices tried it: it failed on two, and one rolled it back.
      const widths = await row
        .locator('rect')
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
      expect(widths[1]! / widths[0]!).toBeCloseTo(2 / 4, 1);
      expect(widths[2]! / widths[0]!).toBeCloseTo(1 / 4, 1);
      expect(await scene.barriers()).toEqual([]);
      await outcomes.getByRole('link', { name: '1.0.0' }).click();
      const stages = page.getByRole('list', { name: 'How many devices got how far' }).getByRole('listitem');
      await stages.first().waitFor();
      expect(await stages.allInnerTexts()).toEqual([
        'Offered (approx.)\n3\n1 failed download',
        'Downloaded\n3 100% of offered\n2 failed installs\n1 rollback',
        'Installed\n1 33% of downloaded',
        'Running now\n1 100% of installed',
      ]);
      await page.getByRole('row', { name: /^bad signature install 2 50% / }).waitFor();
      await page.getByRole('row', { name: /^crashed at start rollback 1 25%/ }).waitFor();
      const errors = page.getByRole('region', { name: 'Errors on devices' });
      await stages.getByRole('link', { name: '2 failed installs' }).click();
      await errors.getByText('Only errors of installs are shown.').waitFor();
      expect(await errors.getByRole('rowheader').allInnerTexts()).toEqual(['bad signature']);
      expect(await errors.evaluate((section) => section.parentElement === document.activeElement)).toBe(true);
      expect(new URL(page.url()).search).toBe('?errors=install');
      await errors.getByRole('button', { name: 'Show all errors' }).click();
      await errors.getByRole('row', { name: /^no room download 1/ }).waitFor();
      // What a person looks for first comes first.
      expect((await page.getByRole('region').getByRole('heading', { level: 2 }).allInnerTexts()).slice(1)).toEqual([
        ...['Device reports', 'Errors on devices', 'Release notes', 'What changed', 'Rollout plan', 'History'],
        ...['Details', 'Metadata', 'Bundle check'],
      ]);
      const files = page.getByRole('region', { name: 'What changed', exact: true });
      await files.getByText('There is no earlier build of its channel that it can be compared with.').waitFor();
      expect(await page.getByText('None. Apps that require a signature reject this build.').isVisible()).toBe(false);
      await page.getByText('Checksum and signature', { exact: true }).click();
      await page.getByText('None. Apps that require a signature reject this build.').waitFor();
      expect(await scene.barriers()).toEqual([]);
    },
    MINUTE,
  );

  it(
    'shows long versions of devices on a phone without a scrollbar',
    async () => {
      const { plaintext_key: key } = await ask<{ plaintext_key: string }>('POST', '/apps/1/api-keys', {
        name: 'phone',
      });
      const long = `1.0.0-${'x'.repeat(58)}`;
      const headers = {
        ...{ 'X-API-Key': key, 'X-Device-ID': 'f', 'X-Platform': 'android' },
        ...{ 'X-Bundle-Version': long, 'X-App-Version': long },
      };
      const url = `${scene.deployment.devices[0]}/api/v1/analytics/mau`;
      expect((await call(url, { method: 'POST', headers })).status).toBe(200);
      await eventually(async () => {
        const { native_versions: versions } = await ask<Adoption>('GET', '/apps/1/adoption');
        return versions.length > 0;
      });
      const phone = await scene.newPage({ width: 360, height: 740 });
      await scene.signIn(phone);
      await scene.open('/apps/1/adoption', phone);
      const table = phone.getByRole('region', { name: /^Platforms and native versions on/ });
      await table.getByText(`Native version ${long}`).waitFor();
      expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      expect(await scene.excess(phone)).toBe(0);
      await phone.context().close();
    },
    MINUTE,
  );

  it(
    'shows the metadata of a build, with links to addresses of the web alone',
    async () => {
      const { page } = scene;
      const linksOf = async (part: ReturnType<Page['locator']>) => {
        await part
          .getByRole('link', { name: /4f2a9c1|runs/ })
          .first()
          .waitFor();
        const links = await part.locator('a[target=_blank]').all();
        return Promise.all(
          links.map(async (link) => [
            await link.innerText(),
            await link.getAttribute('href'),
            await link.getAttribute('rel'),
          ]),
        );
      };
      const rel = 'noopener noreferrer';
      await scene.open('/apps/1');
      expect(await linksOf(page.getByRole('article', { name: '1.0.0 in production' }))).toEqual([
        ['4f2a9c1', METADATA.commit_url, rel],
        ['CI run', METADATA.run_url, rel],
      ]);
      await scene.open('/apps/1/builds/1');
      const metadata = page.getByRole('region', { name: 'Metadata' });
      expect(await linksOf(metadata)).toEqual([
        [COMMIT, METADATA.commit_url, rel],
        [METADATA.run_url, METADATA.run_url, rel],
      ]);
      for (const text of [METADATA.author, METADATA.script]) {
        await metadata.getByText(text, { exact: true }).waitFor();
      }
      const history = page.getByRole('region', { name: 'History' });
      await history.getByText('Initial values').click();
      await history.getByText(METADATA.commit_url, { exact: true }).waitFor();
      expect(await history.innerText()).not.toContain('{');
      await scene.open('/apps/1/builds');
      expect(await linksOf(page.getByRole('row', { name: /^1\.0\.0/ }))).toEqual([
        ['4f2a9c1', METADATA.commit_url, rel],
      ]);
      expect(await scene.barriers()).toEqual([]);
    },
    MINUTE,
  );

  it(
    'shortens names of 255 letters, shows them whole on demand, and fits a phone, each screen with a title of its own',
    async () => {
      await ask('POST', '/owners', { name: LONG });
      for (let number = 0; number < TOKENS; number += 1) {
        await ask('POST', '/tokens', { name: number === 0 ? LONG : `token ${number}`, all_apps: true });
      }
      const phone = await scene.newPage({ width: 360, height: 740 });
      await scene.signIn(phone);
      for (const [path, title] of SCREENS) {
        await scene.open(path, phone);
        await phone.waitForFunction(() => document.querySelector('.loading') === null);
        expect([path, await scene.excess(phone), await phone.title()]).toEqual([path, 0, title]);
        expect([path, await scene.barriers(phone)]).toEqual([path, []]);
      }
      await scene.open('/apps/1/api-keys', phone);
      const name = phone.getByRole('heading', { level: 3, name: LONG }).locator('.name');
      expect(await name.getAttribute('title')).toBe(LONG);
      const { height } = (await name.boundingBox())!;
      expect(height).toBeLessThan(60);
      await phone.getByRole('button', { name: `Actions for ${LONG}` }).click();
      await phone.getByRole('menuitem', { name: 'Revoke' }).click();
      await dialog(phone).getByRole('button', { name: 'Revoke permanently' }).waitFor();
      const box = (await dialog(phone).boundingBox())!;
      expect([box.x >= 0, box.x + box.width <= 360]).toEqual([true, true]);
      expect(await scene.barriers(phone)).toEqual([]);
      await phone.context().close();
    },
    2 * MINUTE,
  );

  it(
    'covers no button, and shows an error in the meantime next to its cause',
    async () => {
      const phone = await scene.newPage({ width: 360, height: 740 });
      await scene.signIn(phone);
      await scene.open('/apps/1/api-keys', phone);
      await phone.getByRole('button', { name: `Actions for ${LONG}` }).click();
      await phone.getByRole('menuitem', { name: 'Deprecate' }).click();
      await dialog(phone).getByRole('button', { name: 'Deprecate' }).click();
      const toast = phone.getByRole('status').getByText('Key deprecated.');
      await toast.waitFor();
      // Somebody reads it, so that it stays.
      await toast.hover();
      const covered = await phone.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('main button, main a')].flatMap((each) => {
          each.scrollIntoView({ block: 'nearest' });
          const { left, top, width, height } = each.getBoundingClientRect();
          const seen = document.elementFromPoint(left + width / 2, top + height / 2);
          return seen?.closest('.toasts') === null ? [] : [each.textContent];
        }),
      );
      expect(covered).toEqual([]);
      await phone.context().close();

      // Revoked elsewhere while the dialog is open.
      const { page } = scene;
      await scene.open('/tokens');
      const tokens = await ask<{ id: number; name: string }[]>('GET', '/tokens?per_page=50');
      const id = tokens.find((each) => each.name === 'token 40')?.id;
      await page.getByRole('button', { name: 'Actions for token 40' }).click();
      await page.getByRole('menuitem', { name: 'Rotate' }).click();
      await dialog().getByRole('button', { name: 'Rotate' }).waitFor();
      await ask('POST', `/tokens/${id!}/revoke`);
      await dialog().getByRole('button', { name: 'Rotate' }).click();
      await dialog()
        .getByRole('alert')
        .getByText(/revoked/)
        .waitFor();
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });
    },
    MINUTE,
  );

  it('filters the history by any token, however many there are', async () => {
    const { page } = scene;
    await scene.open('/apps/1/history');
    const who = page.getByLabel('Who');
    await page.waitForFunction(
      (least) => document.querySelectorAll('select[name=actor] option').length > least,
      TOKENS,
    );
    const names = await who.locator('option').allInnerTexts();
    expect(names).toEqual(
      expect.arrayContaining([`Token “${LONG}”`, ...numbers(TOKENS - 1).map((n) => `Token “token ${n}”`)]),
    );
    await who.selectOption(`Token “${LONG}”`);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('heading', { name: 'No matching entries' }).waitFor();
  });

  it(
    'lists the files of a build that changed since the previous one of its channel',
    async () => {
      const { page } = scene;
      const files = page.getByRole('region', { name: 'What changed', exact: true });
      await release(1, '1.1.0', 100, {}, { 'index.html': '<h1>New</h1>', 'app.js': 'let a = 1;' });
      await scene.open('/apps/1/builds/2');
      await files.getByText('1 added (10 bytes), 1 changed (12 bytes), 0 removed (0 bytes)').waitFor();
      await files.getByRole('row', { name: 'app.js Added – 10 bytes' }).waitFor();
      await files.getByRole('link', { name: '1.0.0 (build 1)' }).waitFor();
      expect(await scene.barriers()).toEqual([]);
    },
    MINUTE,
  );
});

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
