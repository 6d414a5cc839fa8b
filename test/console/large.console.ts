import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileIndexKey } from '@sluice/contracts';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';
import { temporaryDirectory } from '@sluice/testing';
import type { Locator } from 'playwright-core';
import { objectKeyOf, versionOf, writeHistory } from '../load/history';
import { describeInChromium, timeUntilVisible } from '../support/chromium';
import { consoleScene } from './harness';

const APPS = 200;
const BUILDS = 10_000;
/** Writing and reading so much takes its time before the first test. */
const SETUP_MS = 180_000;

describeInChromium('the console of an installation with 200 apps and 10,000 builds', () => {
  const env: Record<string, string> = {};

  beforeAll(async () => {
    env['DATA_DIR'] = temporaryDirectory();
    const builds = [BUILDS, ...Array.from({ length: APPS - 1 }, () => 2)];
    await writeHistory(env['DATA_DIR'], { apps: APPS, channels: ['production'], builds, rollouts: [10, 50] });
    // Of the build that is opened, and of the one before it, with which it is compared.
    const objects = await openFilesystemObjectStore({ path: join(env['DATA_DIR'], 'objects') });
    for (const build of [BUILDS, BUILDS - 1]) {
      await objects.put(fileIndexKey(objectKeyOf(build)), Readable.from([Buffer.from('{"files":[]}')]));
    }
    await objects.close();
  }, SETUP_MS);

  const scene = consoleScene(env);

  /** Does `act` and waits until a screen can be used; reports how long that took, and returns the requests. */
  async function usable(screen: string, act: () => Promise<unknown>, shown: Locator): Promise<readonly string[]> {
    const asked: string[] = [];
    const note = (request: { url: () => string }) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/api/')) asked.push(pathname.replace('/api/dashboard/v1', '') + search);
    };
    scene.page.on('request', note);
    const from = performance.now();
    await act();
    await timeUntilVisible(shown);
    process.stdout.write(`console: ${screen} usable after ${Math.round(performance.now() - from)} ms\n`);
    scene.page.off('request', note);
    return asked;
  }

  it(
    'lists all apps a line each, and finds one by its name',
    async () => {
      const { page } = scene;
      await scene.signIn();
      const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) });
      const asked = await usable('apps', () => page.reload(), page.getByText('App 200', { exact: true }));
      // What was answered before the page was live is asked once more.
      expect(new Set(asked.filter((path) => path.startsWith('/overview'))).size).toBe(APPS / 50);
      expect(await page.getByRole('row').count()).toBe(APPS + 1);
      await row('App 1')
        .getByText(`${versionOf(BUILDS)} Rolling out 10%`)
        .waitFor();
      expect(await scene.barriers()).toEqual([]);

      const find = page.getByRole('searchbox', { name: 'Find an app by name or ID' });
      await usable('the apps that a filter leaves', () => find.fill('app19'), page.getByText('11 of 200 apps'));
      await find.fill('nothing of that kind');
      await page.getByRole('heading', { name: 'No matching apps' }).waitFor();
      await page.getByRole('button', { name: 'Show all' }).click();
      await row('App 77').waitFor();
    },
    SETUP_MS,
  );

  it('shows the channels of an app with so many builds by a few questions', async () => {
    const { page } = scene;
    const head = page.getByRole('article', { name: `${versionOf(BUILDS)} in production` });
    const asked = await usable('releases', () => page.getByRole('link', { name: 'App 1', exact: true }).click(), head);
    const isPins = (path: string) => path.endsWith('/pins');
    expect(asked.filter((path) => path.includes('/builds') && !isPins(path))).toHaveLength(5);
    // Of the builds that some of the devices get.
    expect(asked.filter(isPins)).toHaveLength(2);
    await head.getByText('10% of devices').waitFor();
    await page
      .getByText(
        new RegExp(
          `^${(BUILDS - 3).toLocaleString()} older active builds\\. Devices get them only while .* is stopped\\.$`,
        ),
      )
      .waitFor();
  });

  it(
    'turns pages of builds, goes to any of them, and filters them',
    async () => {
      const { page } = scene;
      const link = (build: number) => page.getByRole('link', { name: versionOf(build), exact: true });
      await usable('builds', () => page.getByRole('link', { name: 'Builds', exact: true }).click(), link(BUILDS));
      await usable('the next builds', () => page.getByRole('button', { name: 'Next' }).click(), link(BUILDS - 50));
      await page.getByLabel('Page', { exact: true }).fill('200');
      await usable('the last builds', () => page.getByRole('button', { name: 'Go' }).click(), link(1));
      expect(await page.getByRole('row').count()).toBe(51);
      expect(await scene.barriers()).toEqual([]);
      const active = () => page.getByLabel('State').selectOption('active');
      await usable('the active builds', active, page.getByText('Page 1 of 200'));
      await link(BUILDS).waitFor();
      const heading = page.getByRole('heading', { name: `${versionOf(BUILDS)} in production` });
      await usable('a build', () => link(BUILDS).click(), heading);
      await page
        .getByRole('region', { name: 'History' })
        .getByText(/uploaded/)
        .waitFor();
    },
    SETUP_MS,
  );
});
