import type { Upgrade } from '@sluice/contracts';
import { describeInChromium } from '../support/chromium';
import { asOwner } from './as-owner';
import { consoleScene } from './harness';

describeInChromium('an upgrade in the console', () => {
  const scene = consoleScene();
  const { ask } = asOwner(scene);
  const unfinished: Upgrade = {
    ...{ format: 0, known_format: 1, finished: false },
    blocked_by: [{ service: 'keys', name: 'started 2026-01-01T00:00:00.000Z', release: '0.1.0', format: null }],
  };
  const banner = () => scene.page.getByRole('complementary', { name: 'Upgrade' });

  it('that is not finished is a banner on every screen, with the replicas that it waits for', async () => {
    const { page } = scene;
    let data: Upgrade = unfinished;
    await page.route('**/api/dashboard/v1/upgrade', (route) => route.fulfill({ json: { data } }));
    await scene.signIn();
    for (const path of ['/apps', '/account']) {
      await scene.open(path);
      await banner().getByText('sluice upgrade finish').waitFor();
      await banner().getByText('1 replica does not run this release yet').click();
      await banner().getByText('keys: started 2026-01-01T00:00:00.000Z').waitFor();
      expect(await scene.barriers()).toEqual([]);
    }
    data = { ...unfinished, finished: true, blocked_by: [] };
    await page.reload();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await banner().waitFor({ state: 'detached' });
    await page.unroute('**/api/dashboard/v1/upgrade');
  }, 60_000);

  it('is not asked for by an owner who can not finish it', async () => {
    const { owner_key: key } = await ask<{ owner_key: string }>('POST', '/owners', { name: 'Ann' });
    const page = await scene.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await scene.signIn(page, key);
    await scene.open('/apps', page);
    expect(asked).toContain('/api/dashboard/v1/session');
    expect(asked).not.toContain('/api/dashboard/v1/upgrade');
  }, 60_000);
});
