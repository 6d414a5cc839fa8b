import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { literalsOf, nativeVersionsOf, proposalsOf } from './init-proposals';

const expected = { appId: 'com.example.shop', webDir: 'www' };

describe('a Capacitor configuration', () => {
  it.each([
    [
      'TypeScript',
      `import type { CapacitorConfig } from '@capacitor/cli';
       const config: CapacitorConfig = { appId: 'com.example.shop', appName: 'Shop', webDir: 'www' };
       export default config;`,
    ],
    ['JavaScript with double quotes', 'module.exports = {\n  "appId": "com.example.shop",\n  webDir:"www" };'],
    ['JSON', '{ "appId": "com.example.shop", "webDir": "www" }'],
    ['template literals', 'export default { appId: `com.example.shop`, webDir: `www` };'],
    [
      'comments',
      "/* appId: 'a.b' */ export default {\n // webDir: 'old',\n appId: 'com.example.shop', webDir: 'www' }",
    ],
    [
      'other strings that look like members',
      `export default { note: "it's appId: 'a.b'", url: 'https://x.example//', appId: 'com.example.shop', webDir: 'www' }`,
    ],
  ])('is read as text: %s', (_, code) => {
    expect(literalsOf(code)).toEqual(expected);
  });

  it.each([
    ['a variable', 'export default { appId: ID, webDir: process.env.OUT }'],
    ['an expression in a template literal', 'export default { appId: `com.${NAME}` }'],
  ])('proposes nothing for %s', (_, code) => {
    expect(literalsOf(code)).toEqual({});
  });
});

describe('proposals', () => {
  const folderWith = (files: Readonly<Record<string, string>>): string => {
    const folder = temporaryDirectory();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return folder;
  };

  it.each([
    [{}, {}],
    [{ 'package.json': '{"devDependencies":{"vite":"^8.0.0"}}' }, { folder: 'dist' }],
    [{ 'package.json': '{"dependencies":{"react-scripts":"5"}}' }, { folder: 'build' }],
    [{ 'package.json': 'not JSON' }, {}],
    [
      {
        'app.json': '{"expo":{"ios":{"bundleIdentifier":"com.example.expo"}}}',
        'package.json': '{"dependencies":{"expo":"54"}}',
      },
      { app: 'com.example.expo', folder: 'dist' },
    ],
    [{ 'app.json': '{"expo":{"android":{"package":"com.example.droid"}}}' }, { app: 'com.example.droid' }],
    [
      {
        'capacitor.config.json': '{"appId":"com.example.shop","webDir":"www"}',
        'package.json': '{"devDependencies":{"vite":"8"}}',
      },
      { app: 'com.example.shop', folder: 'www' },
    ],
  ])('from %j are %j', (files, proposals) => {
    expect(proposalsOf(folderWith(files))).toEqual(proposals);
  });

  it('execute nothing of the app', () => {
    const folder = folderWith({
      'capacitor.config.js': `require('fs').writeFileSync(__dirname + '/ran', ''); exports.appId = 'a.b';`,
    });
    expect(proposalsOf(folder)).toEqual({});
  });
});

describe('the versions of native apps', () => {
  const versionsIn = (file: string, text: string) => {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), text);
    return nativeVersionsOf(folder);
  };
  const gradle = 'android/app/build.gradle';
  const xcode = 'ios/App/App.xcodeproj/project.pbxproj';

  it.each([
    [gradle, 'android {\n  defaultConfig {\n    versionCode 7\n    versionName "2.1"\n', 'android', '2.1.0'],
    [gradle, "        versionName = '2.1.3'", 'android', '2.1.3'],
    [`${gradle}.kts`, '        versionName = "2.1.3"', 'android', '2.1.3'],
    [xcode, '\t\t\t\tMARKETING_VERSION = 3.0;\n\t\t\t\tMARKETING_VERSION = 3.0;', 'ios', '3.0.0'],
  ])('are read from %s: %j', (file, text, platform, version) => {
    expect(versionsIn(file, text)).toEqual([{ platform, version, file }]);
  });

  it.each([
    [gradle, 'versionName project.version'],
    [gradle, 'versionName "$appVersion"'],
    [gradle, '// versionName "2.1"'],
    [xcode, 'MARKETING_VERSION = "$(APP_VERSION)";'],
    ['android/build.gradle', 'versionName "2.1"'],
  ])('are not guessed from %s: %j', (file, text) => {
    expect(versionsIn(file, text)).toEqual([]);
  });
});
