import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingName } from '@sluice/config';
import { SERVICES } from '@sluice/contracts';
import { readSettings } from '../../services/config/settings';
import { CONFIGURATION_PAGE, configurationPage, SETTINGS_OF } from './configuration-page';
import { ROOT } from './made-secrets';

const SETTINGS = Object.values(SETTINGS_OF).flat();

/** Where the environment enters: the servers' settings, and the command line's context. */
const READERS = ['libs/cli/command-line.ts', 'libs/service-host/run-process.ts'];

const sources = readdirSync(ROOT, { withFileTypes: true })
  .filter(({ name }) => name === 'libs' || name === 'services')
  .flatMap(({ name }) => readdirSync(join(ROOT, name), { recursive: true }).map((path) => `${name}/${String(path)}`))
  .filter(
    (path) =>
      /\.tsx?$/.test(path) &&
      !/\.(spec|contract|engine|fixture)\.tsx?$|^libs\/(testing|error-tracking\/demo)\//.test(path),
  )
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

it('describes each setting in docs/configuration.md as it is declared (else: npm run docs:settings)', () => {
  const unpadded = (text: string) => text.replace(/ +\|/g, ' |').replace(/-{3,}/g, '---');
  expect(unpadded(readFileSync(CONFIGURATION_PAGE, 'utf8'))).toBe(unpadded(configurationPage()));
});

it('declares each setting once, with a description', () => {
  const variables = SETTINGS.map(({ variable }) => variable);
  expect(variables).toEqual([...new Set(variables)]);
  expect(SETTINGS.filter(({ description }) => !/^[\dA-Z`].*\.$/.test(description))).toEqual([]);
});

it('reads the environment in no other place', () => {
  expect(sources.flatMap(({ path, text }) => (/\bprocess\.env\b/.test(text) ? [path] : []))).toEqual(READERS);
});

it.each(SETTINGS_OF['Shared by services']!)('$variable is read by $readBy', ({ variable, readBy }) => {
  const word = new RegExp(`\\b${settingName(variable)}\\b`);
  const readers = SERVICES.filter((service) =>
    sources.some(({ path, text }) => path.startsWith(`services/${service}/`) && word.test(text)),
  );
  expect([...readers].sort()).toEqual([...readBy!].sort());
});

it.each(SETTINGS.filter(({ secret }) => secret))('repeats no part of $variable where it is invalid', ({ variable }) => {
  try {
    readSettings({ [variable]: 'hunter2://user:hunter2@host/?hunter2' });
  } catch (error) {
    expect(String(error)).toContain(variable);
    expect(String(error)).not.toContain('hunter2');
  }
});
