import { createHash } from 'node:crypto';
import { packageHash } from './package-hash';

const CONTENTS = {
  'CodePush/index.android.bundle': 'run();',
  'CodePush/assets/größe "1".png': 'png',
  'CodePush/assets/a-b.png': 'ab',
  'CodePush/assets/a.png': 'a',
  'CodePush/assets/a/b.png': 'nested',
  'CodePush/assets/\u{1F600}.txt': 'smile',
  'CodePush/assets/\uFF5E.txt': 'wave',
};
const file = ([path, content]: readonly [string, string]) => ({
  path,
  sha256: createHash('sha256').update(content).digest('hex'),
});
const files = Object.entries(CONTENTS).map(file);

it('is the hash that code-push-cli 3.0.0 computes of the same folder', () => {
  expect(packageHash(files)).toBe('d540956ec2d4c0ed1780283896e241605ab2ffe81409c43336513113a50773df');
});

it('leaves out signatures and what macOS adds, and depends on every other path and content', () => {
  const ignored = ['CodePush/.codepushrelease', '.codepushrelease', '.DS_Store', 'CodePush/.DS_Store', '__MACOSX/a'];
  const hash = packageHash(files);
  expect(packageHash([...files, ...ignored.map((path) => file([path, 'x']))])).toBe(hash);
  for (const path of ['a__MACOSX/a', 'CodePush/x.DS_Store', 'CodePush/codepushrelease']) {
    expect(packageHash([...files, file([path, 'x'])])).not.toBe(hash);
  }
  expect(packageHash(files.slice(1))).not.toBe(hash);
});
