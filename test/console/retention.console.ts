import type { App, Build } from '@sluice/contracts';
import { describeInChromium } from '../support/chromium';
import { asOwner } from './as-owner';
import { consoleScene } from './harness';

describeInChromium('the retention of builds in the console', () => {
  const scene = consoleScene({ BUILD_RETENTION_GRACE_SECONDS: '0' });
  const { ask, release } = asOwner(scene);

  it('shows which builds a number lets go before it is saved, and what the bundles take', async () => {
    const { page } = scene;
    await ask('POST', '/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) await release(1, version, 100);
    await scene.signIn();
    await scene.open('/apps/1/settings');
    const section = page.getByRole('region', { name: 'Old builds' });
    await section.getByText('No build is due for deletion.').waitFor();
    await section.getByLabel('Builds to keep in each channel').selectOption('newest');
    await section.getByLabel('How many').fill('2');
    await section
      .getByText(/^With these settings, 1 build will be permanently deleted within the hour, which frees \d+ bytes:$/)
      .waitFor();
    await section.getByRole('row', { name: /^1\.0\.0 1 production/ }).waitFor();
    expect(await scene.barriers()).toEqual([]);
    expect((await ask<App>('GET', '/apps/1')).keep_builds).toBeNull();
    expect(await ask<Build[]>('GET', '/apps/1/builds')).toHaveLength(3);
    await section.getByRole('button', { name: 'Save retention settings' }).click();
    await page.getByText('Settings saved.').waitFor();
    expect((await ask<App>('GET', '/apps/1')).keep_builds).toBe(2);
    await section.getByText('No build is due for deletion.').waitFor();
    expect(await ask<Build[]>('GET', '/apps/1/builds')).toHaveLength(2);
    await scene.open('/account');
    await page.getByText(/^\d+ bytes of 100 GiB$/).waitFor();
  }, 120_000);
});
