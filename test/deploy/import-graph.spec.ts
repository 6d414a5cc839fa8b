import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const TESTS = /\.(spec|contract|engine|fixture)\.tsx?$|^libs\/testing\//;
const IMPORTS = /(?:from|import\(|require\(|require\.resolve\()\s*'((?:\.|@sluice\/)[^']*)'/g;

/** The arrows between folders that no test file draws: from, to, and the files of one of them. */
function arrows(): Map<string, string> {
  const files = execFileSync('git', ['ls-files', 'libs', 'services'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && !TESTS.test(file) && existsSync(join(ROOT, file)));
  const known = new Set(files);
  const found = new Map<string, string>();
  for (const file of files) {
    for (const [, specifier = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORTS)) {
      const path = specifier.startsWith('.')
        ? normalize(join(dirname(file), specifier))
        : specifier.replace('@sluice', 'libs');
      const bare = path.replace(/\.js$/, '');
      const target = [path, `${bare}.ts`, `${bare}.tsx`, `${bare}/index.ts`].find((name) => known.has(name));
      if (target === undefined || dirname(target) === dirname(file)) continue;
      found.set(`${dirname(file)} → ${dirname(target)}`, `${file} → ${target}`);
    }
  }
  return found;
}

it('no two folders import each other', () => {
  const found = arrows();
  const both = [...found].flatMap(([arrow, files]) => {
    const [from = '', to = ''] = arrow.split(' → ');
    const back = found.get(`${to} → ${from}`);
    return from < to && back !== undefined ? [`${files}, ${back}`] : [];
  });
  expect(found.size).toBeGreaterThan(100);
  expect(both).toEqual([]);
});
