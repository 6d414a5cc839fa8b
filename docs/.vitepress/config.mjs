import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { drawDiagrams, githubAnchor, leaveOutsideLinks } from './markdown.mjs';

const DOCS = join(import.meta.dirname, '..');

/** The longest that a build may take, of processor time too: a busy machine stretches the time on the clock alone. */
const MAX_SECONDS = 60;

/** The pages in reading order; a page that is missing here fails the build. */
const CONTENTS = {
  Start: ['README', 'getting-started', 'concepts', 'console', 'cli', 'configuration'],
  Guides: [
    'guides/cli',
    'guides/apply',
    'guides/ci',
    'guides/bundles',
    'guides/rollout-plans',
    'guides/gates',
    'guides/bad-release',
    'guides/clients',
    'guides/update-clients',
    'guides/coming-from-capgo',
    'guides/coming-from-appflow',
    'guides/coming-from-codepush',
    'guides/coming-from-hot-updater',
    'guides/import',
    'guides/coming-from-expo',
    'guides/signing',
    'guides/typescript-client',
    'guides/error-tracking',
    'guides/listings',
    'guides/listings-products',
    'guides/listings-webhooks',
  ],
  'HTTP API': ['api/README', 'api/management', 'api/dashboard', 'api/listings-ads', 'api/device'],
  Operations: [
    ...[
      'README',
      'sizing',
      'one-process',
      'executable',
      'docker',
      'kubernetes',
      'helm',
      'six-services',
      'engine-users',
      'databases',
      'backup',
      'upgrade',
    ],
    ...['master-key', 'signing-keys', 'retention', 'monitoring', 'outages', 'troubleshooting'],
  ].map((name) => `operations/${name}`),
  Architecture: [
    ...['README', 'flows', 'data', 'events', 'projections', 'routes', 'trust', 'upgrades', 'internals', 'glossary'],
  ].map((name) => `architecture/${name}`),
  Decisions: readdirSync(join(DOCS, 'adr'))
    .map((file) => `adr/${file.slice(0, -'.md'.length)}`)
    .sort((a, b) => Number(b.endsWith('README')) - Number(a.endsWith('README')) || a.localeCompare(b)),
  Reference: [
    ...['benchmarks', 'limitations', 'conformance/README', 'conformance/management-api', 'conformance/device-api'],
    ...['conformance/listings', 'language'],
  ],
};

const listed = Object.values(CONTENTS).flat();
const existing = readdirSync(DOCS, { recursive: true }).filter((path) => path.endsWith('.md'));
const unlisted = existing.filter((path) => !listed.includes(path.slice(0, -'.md'.length)));
if (unlisted.length > 0) throw new Error(`Add to the contents in docs/.vitepress/config.mjs: ${unlisted.join(', ')}`);

const titleOf = (page) => /^# (.+)$/m.exec(readFileSync(join(DOCS, `${page}.md`), 'utf8'))[1];

/** Built into dist/docs, which the gateway serves at /docs. */
export default defineConfig({
  title: 'Sluice',
  description: 'Documentation of Sluice, a self-hosted update server for apps.',
  lang: 'en',
  base: '/docs/',
  outDir: '../dist/docs',
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: true,
  // A page would load all pages that it shows links to.
  router: { prefetchLinks: false },
  metaChunk: true,
  rewrites: { 'README.md': 'index.md', ':folder/README.md': ':folder/index.md' },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify: githubAnchor },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => md.use(drawDiagrams).use(leaveOutsideLinks, DOCS),
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        translations: { button: { buttonAriaLabel: 'Search' } },
        miniSearch: { searchOptions: { combineWith: 'AND' } },
      },
    },
    outline: [2, 3],
    notFound: {
      title: 'Page not found',
      quote: 'There is no page at this address.',
      linkText: 'Start page',
      linkLabel: 'Start page',
    },
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Operations', link: '/operations/' },
      { text: 'HTTP API', link: '/api/' },
      { text: 'Console', link: '/console', target: '_self' },
    ],
    sidebar: Object.entries(CONTENTS).map(([text, pages]) => ({
      text,
      items: pages.map((page) => ({ text: titleOf(page), link: `/${page.replace(/README$/, '')}` })),
    })),
  },
  buildEnd: checkDuration,
  transformHtml: (html, _, { siteConfig: { outDir, site } }) => moveScripts(html, join(outDir, 'assets'), site.base),
});

/** Prints how long the build took. @throws Error if it took too long */
function checkDuration() {
  const { user, system } = process.cpuUsage();
  const [seconds, ofProcessor] = [process.uptime(), (user + system) / 1e6];
  const taken = `The documentation was built in ${seconds.toFixed(1)} s, with ${ofProcessor.toFixed(1)} s of processor time.`;
  if (Math.min(seconds, ofProcessor) > MAX_SECONDS) throw new Error(`${taken} At most ${MAX_SECONDS} s are allowed.`);
  console.log(taken);
}

/** Moves inline scripts to files, because the server's Content-Security-Policy allows no inline script. */
function moveScripts(html, folder, base) {
  return html.replace(/<script(?: id="[^"]*")?>(.*?)<\/script>/gs, (_, script) => {
    const file = `inline.${createHash('sha256').update(script).digest('hex').slice(0, 8)}.js`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), script);
    return `<script src="${base}assets/${file}"></script>`;
  });
}
