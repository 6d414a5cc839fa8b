import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_VERSION } from '@sluice/client';
import { VERSION } from '@sluice/config';
import { satisfies } from 'semver';
import { ROOT } from './made-secrets';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines: { readonly node: string; readonly 'sluice-api'?: string };
}

const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');
const { engines } = JSON.parse(read('package.json')) as Manifest;
const packages = readdirSync(join(ROOT, 'libs')).filter((name) => existsSync(join(ROOT, 'libs', name, 'package.json')));
const manifestOf = (name: string) => JSON.parse(read('libs', name, 'package.json')) as Manifest;

it('finds the published packages', () => {
  expect(packages).toEqual(expect.arrayContaining(['client', 'error-tracking']));
});

describe.each(packages)('libs/%s', (name) => {
  const manifest = manifestOf(name);

  it('has the version and the Node of this release', () => {
    expect([manifest.version, manifest.engines.node]).toEqual([VERSION, engines.node]);
  });

  it('states in package.json and README.md which API version of the server it needs', () => {
    const needed = manifest.engines['sluice-api'];
    const readme = read('libs', name, 'README.md');
    if (needed === undefined) expect(readme).toContain('It needs no Sluice server.');
    else {
      expect(readme.replace(/\s+/g, ' ')).toContain(`It needs a server with API version \`${needed}\``);
      expect([API_VERSION, needed, satisfies(API_VERSION, needed)]).toEqual([API_VERSION, needed, true]);
    }
  });

  it('is in the changelog', () => {
    expect(read('CHANGELOG.md').split(/^## /m)[1]).toContain(`\`${manifest.name}\``);
  });
});
