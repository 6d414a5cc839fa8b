import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const PAGE = 'docs/guides/update-clients.md';

/** By feature and family: the cell of the table, and the test that shows it. */
const PROOFS: Readonly<Record<string, Readonly<Record<string, readonly [cell: string, test: string]>>>> = {
  mandatory: {
    capgo: ['no', 'offers what the update check of Sluice offers'],
    capawesome: ['no', 'offers the zip with what the client verifies'],
    codepush: ['yes', 'installs as mandatory what is'],
    expo: ['no', 'update to a manifest whose files have the hashes that it names'],
    'hot-updater': ['yes', 'updates, stays where a build is paused'],
    'native-update': ['no', 'serves a client of native-update 1.3'],
  },
  'rollout percentage': {
    capgo: ['yes', 'offers what the update check of Sluice offers'],
    capawesome: ['yes', 'takes no part in a rollout that its device is not in'],
    codepush: ['yes', 'is not offered a part of a rollout without an id'],
    expo: ['yes', 'get only builds of their runtime version, and of their rollout'],
    'hot-updater': ['yes, by cohort', 'is in a rollout by its cohort'],
    'native-update': ['only 100%', 'serves a client of native-update 1.3'],
  },
  'recall to an older build': {
    capgo: ['the older build', 'updates, reports, goes back to an older build'],
    capawesome: ['the older build', 'goes back to the older build itself because of a recall'],
    codepush: ['the older build', 'goes back to the older package itself because of a recall'],
    expo: ['the republished build', 'are moved back by a recall alone'],
    'hot-updater': ['the older build', 'goes back because of a recall alone'],
    'native-update': ['the newest active build', 'serves a client of native-update 1.3'],
  },
  "recall to the app's bundle": {
    capgo: ['yes', 'then to the one in the native app'],
    capawesome: ['no', 'goes back to the older build itself because of a recall'],
    codepush: ['no', 'goes back to the older package itself because of a recall'],
    expo: ['yes', 'are moved back by a recall alone'],
    'hot-updater': ['yes', 'goes back because of a recall alone'],
    'native-update': ['no', 'serves a client of native-update 1.3'],
  },
  'native version': {
    capgo: ['range', 'offers what the update check of Sluice offers'],
    capawesome: ['range', 'follows native versions, platforms and channels'],
    codepush: ['range', 'says which range a build needs'],
    expo: ['runtime version', 'get only builds of their runtime version'],
    'hot-updater': ['range or fingerprint', 'gets what its platform, its native app, its fingerprint'],
    'native-update': ['minimum', 'serves a client of native-update 1.3'],
  },
  signature: {
    capgo: ['no', 'offers what the update check of Sluice offers'],
    capawesome: ['yes', 'offers the zip with what the client verifies'],
    codepush: ['code signing', 'verifies packages that were signed before the upload'],
    expo: ['yes', 'signs manifests and directives'],
    'hot-updater': ['yes', 'verifies the signature, which is made once'],
    'native-update': ['yes', 'serves a client of native-update 1.3'],
  },
  'partial download': {
    capgo: ['changed files', 'are offered to the plugins that download them one by one'],
    capawesome: ['no', 'offers the zip with what the client verifies'],
    codepush: ['changed files', 'in parts from its second update on'],
    expo: ['changed files', 'update to a manifest whose files have the hashes that it names'],
    'hot-updater': ['no', 'updates, stays where a build is paused'],
    'native-update': ['no', 'serves a client of native-update 1.3'],
  },
  reports: {
    capgo: ['yes', 'records a queue of events once'],
    capawesome: ['inferred', 'reports what it sees of it'],
    codepush: ['yes', 'reports a package that does not start'],
    expo: ['inferred', 'infer what they run and what did not start'],
    'hot-updater': ['none', 'counts against no limit of a device'],
    'native-update': ['none', 'serves a client of native-update 1.3'],
  },
};

const FAMILIES = ['capgo', 'capawesome', 'codepush', 'expo', 'hot-updater', 'native-update'];
const [, , table = ''] = readFileSync(join(ROOT, PAGE), 'utf8').split(/\n(?=\| (?:family|feature) )/);
const rows = table
  .split('\n')
  .filter((line) => /^\| /.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()).slice(1, -1)); // prettier-ignore

describe('the table of update clients', () => {
  it('has a row for each feature, and a column for each family', () => {
    expect(rows[0]?.slice(1).map((name) => name.toLowerCase().split(' ')[0])).toEqual(FAMILIES);
    expect(rows.slice(2).map(([feature]) => feature)).toEqual(Object.keys(PROOFS));
  });

  it.each(FAMILIES)('says of %s what a test shows', (family) => {
    const tests = readFileSync(
      join(ROOT, `services/device-updates/compat/${family}/${family}.integration.spec.ts`),
      'utf8',
    );
    const column = FAMILIES.indexOf(family) + 1;
    const said = rows.slice(2).map((row) => [row[0], row[column]]);
    const shown = Object.entries(PROOFS).map(([feature, cells]) => [feature, cells[family]?.[0]]);
    expect(said).toEqual(shown);
    const titles = [...tests.matchAll(/\bit(?:\.each\([^)]*\))?\(\s*'([^']+)'/g)].map(([, title]) => title ?? '');
    const missing = Object.values(PROOFS)
      .map((cells) => cells[family]?.[1] ?? '')
      .filter((test) => !titles.some((title) => title.includes(test)));
    expect(missing).toEqual([]);
  });
});
