import { describeInChromium } from '../support/chromium';
import { consoleScene } from './harness';

describeInChromium('the sign-in of the console', () => {
  const scene = consoleScene();

  it('shows a refusal in words at the form, and lets the owner in with the key', async () => {
    const { page } = scene;
    await page.goto(`${scene.address}/console/tokens`);
    expect(await scene.barriers()).toEqual([]);
    await page.getByLabel('Owner key').fill('svc_own_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('This owner key is not valid on this installation.').waitFor();

    await page.getByLabel('Owner key').fill(scene.ownerKey);
    await page.keyboard.press('Enter');
    // Where one wanted to go.
    await page.getByRole('heading', { level: 1, name: 'Access tokens' }).waitFor();
    expect(page.url()).toBe(`${scene.address}/console/tokens`);
  });

  it('keeps no connection open in hidden pages, of which there may be many', async () => {
    const context = scene.page.context();
    const hide = `let hidden = true;
      Object.defineProperty(document, 'hidden', { get: () => hidden });
      globalThis.show = () => { hidden = false; document.dispatchEvent(new Event('visibilitychange')); };`;
    // A browser opens six connections to one server.
    const pages = await Promise.all(Array.from({ length: 8 }, () => context.newPage()));
    try {
      for (const page of pages) {
        await page.addInitScript({ content: hide });
        await page.goto(`${scene.address}/console/tokens`);
        await page.getByRole('heading', { level: 1, name: 'Access tokens' }).waitFor();
        await page.getByText('Connecting', { exact: true }).waitFor();
      }
      await pages[7]!.evaluate('show()');
      await pages[7]!.getByText('Connected', { exact: true }).waitFor();
    } finally {
      await Promise.all(pages.map((page) => page.close()));
    }
  });

  it('shows that it is connected, and signs out', async () => {
    const { page } = scene;
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'operator' }).click();
    expect(await scene.barriers()).toEqual([]);
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Owner key').waitFor();
    await page.reload();
    await page.getByLabel('Owner key').waitFor();
  });
});
