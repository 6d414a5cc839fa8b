import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { literalsOf, proposalsOf } from './init-proposals';

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
