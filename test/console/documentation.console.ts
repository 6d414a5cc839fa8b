import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { consoleScene } from './harness';

const FOLDER = join(__dirname, '..', '..', 'dist', 'docs');
const AT_MOST = 300_000;

const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.html') && path !== '404.html')
  .map((path) => ({ path, html: readFileSync(join(FOLDER, path), 'utf8') }));
/** Those that can be the heaviest, by their paths below `/docs/`: the ten longest ones, and all with an image. */
const HEAVIEST = files
  .sort((a, b) => b.html.length - a.html.length)
  .filter(({ html }, place) => place < 10 || html.includes('<img '))
  .map(({ path }) => path.replace(/(index)?\.html$/, ''));

describe('the documentation', () => {
  const scene = consoleScene();
  const open = async (path: string, page = scene.page) => {
    await page.goto(`${scene.address}/docs/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    // The search button is dead until the page runs its scripts.
    await page.waitForFunction(() => '__vue_app__' in document.querySelector('#app')!);
  };

  it(`has pages of at most ${AT_MOST} bytes that load nothing from elsewhere`, async () => {
    expect(files.length).toBeGreaterThan(50);
    const sizes = new Map<string, number>();
    const page = await scene.newPage();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    let bytes = 0;
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    for (const path of HEAVIEST) {
      bytes = 0;
      await open(path, page);
      await page.waitForLoadState('networkidle');
      sizes.set(path, bytes);
    }
    const [[path, most]] = [...sizes].sort(([, a], [, b]) => b - a) as [[string, number]];
    process.stderr.write(`documentation: ${files.length} pages, at most ${most} bytes (/docs/${path})\n`);
    expect(most).toBeLessThanOrEqual(AT_MOST);
  }, 120_000);

  // One of each kind: tables, code, diagrams, images, generated. A page of the API takes axe half a minute.
  it.each(['', 'concepts', 'configuration', 'console', 'api/device', 'architecture/', 'operations/backup'])(
    'is accessible in light and dark at /docs/%s',
    async (path) => {
      await open(path);
      expect(await scene.barriers()).toEqual([]);
    },
    60_000,
  );

  it.each([
    ['rollback', /rollback/i],
    ['502', /502/],
    ['LIMIT_UPLOADS_PER_HOUR', /LIMIT_UPLOADS_PER_HOUR/],
    ['VERSION_NOT_NEWER', /VERSION_NOT_NEWER/],
  ])('finds %s, and opens the page that has it', async (words, found) => {
    const { page } = scene;
    await open('');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill(words);
    await page.getByRole('option').first().click();
    await page.waitForURL(/docs\/.+/);
    await page.locator('.vp-doc').getByText(found).first().waitFor();
  });

  it('shows a page with the navigation for an address without a page', async () => {
    const { page } = scene;
    const response = await page.goto(`${scene.address}/docs/nothing`);
    expect(response?.status()).toBe(404);
    await page.getByText('There is no page at this address.').waitFor();
    await page.getByRole('link', { name: 'Start page' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sluice documentation' }).waitFor();
  });
});
