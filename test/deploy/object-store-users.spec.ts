import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEEDS, ROOT } from './made-secrets';

const sourcesOf = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .map((path) => join(folder, String(path)))
    .filter((path) => path.endsWith('.ts') && !/\.(spec|contract|engine)\.ts$/.test(path))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'));

/** By constant, such as `BUNDLE_OBJECTS`, the prefix of object keys that it declares. */
const PREFIXES = [...sourcesOf('services'), ...sourcesOf('libs/contracts')].flatMap((text) =>
  [...text.matchAll(/export const ([A-Z]+_(?:OBJECTS|LISTS)) = '([a-z-]+)\/';/g)].map(([, name, prefix]) => ({
    ...{ name: name!, prefix: prefix! },
  })),
);

/** By service, the prefixes that its user of the object store may read, and those that it may write. */
const USERS = new Map(
  [
    ...readFileSync(join(ROOT, 'deploy', 'engines', 'minio-users.sh'), 'utf8').matchAll(
      /^user (\S+) "\S+" ('[^']*'|\S+) ('[^']*'|\S+)$/gm,
    ),
  ].map(([, service, reads, writes]) => [service!, { reads: wordsOf(reads!), writes: wordsOf(writes!) }]),
);

it('has a user of MinIO for each service that stores objects', () => {
  const storing = Object.keys(NEEDS).filter((service) => NEEDS[service]!.includes('objects'));
  expect([...USERS.keys()].sort()).toEqual(storing.sort());
});

it.each(Object.keys(NEEDS))('lets %s write objects of each prefix that its code names', (service) => {
  const text = sourcesOf(join('services', service)).join('\n');
  const named = PREFIXES.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text));
  const denied = named.filter(({ prefix }) => !(USERS.get(service)?.writes ?? []).includes(prefix));
  expect(denied).toEqual([]);
});

it('has policies for exactly the prefixes that the code declares', () => {
  const allowed = [...USERS.values()].flatMap(({ reads, writes }) => [...reads, ...writes]);
  expect([...new Set(allowed)].sort()).toEqual(PREFIXES.map(({ prefix }) => prefix).sort());
});

function wordsOf(list: string): string[] {
  return list.replaceAll("'", '').split(' ').filter(Boolean);
}
