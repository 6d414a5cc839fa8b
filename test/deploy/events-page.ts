import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPipeline } from '../../services/build-pipeline/build-pipeline.service';
import { deviceUpdates } from '../../services/device-updates/device-updates.service';
import { gateway } from '../../services/gateway/gateway.service';
import { keys } from '../../services/keys/keys.service';
import { merchantSync } from '../../services/merchant-sync/merchant-sync.service';
import { registry } from '../../services/registry/registry.service';
import { STREAMS } from '../golden-events/events';
import { ROOT } from './made-secrets';

/** Written from the events and projections of the code: `npm run docs:events`. */
export const EVENTS_PAGE = join(ROOT, 'docs', 'architecture', 'events.md');

/** The names of each kind of stream, and the rules that one append to it protects. */
const KINDS: Readonly<Record<string, { readonly name: string; readonly service: string; readonly protects: string }>> =
  {
    apps: {
      name: 'apps',
      service: 'registry',
      protects: 'integer ids, app ids and bundle ids as one namespace, the number of apps of an owner',
    },
    app: { name: 'app-{id}', service: 'registry', protects: 'what changes in one app later, and its removal' },
    planTemplates: {
      name: 'planTemplates-{appId}',
      service: 'registry',
      protects: 'at most 20 plan templates of an app, each under one name',
    },
    channels: {
      name: 'channels-{appId}',
      service: 'registry',
      protects: 'the channels that an app has added, each under one name, and their number',
    },
    owner: { name: 'owner-{id}', service: 'registry', protects: 'one owner, its key and its suspension' },
    token: { name: 'token-{id}', service: 'registry', protects: 'one access token' },
    installation: { name: 'installation', service: 'registry', protects: 'the format of the installation' },
    channel: {
      name: 'channel-{appId}-{channelId}',
      service: 'build-pipeline',
      protects: 'unique versions, their order, and the highest active version of one channel',
    },
    plan: { name: 'plan-{buildId}', service: 'build-pipeline', protects: 'one rollout plan of a build, and its steps' },
    job: { name: 'job-{ulid}', service: 'build-pipeline', protects: 'one worker at a time for one job' },
    apiKeys: { name: 'apiKeys-{appId}', service: 'keys', protects: 'at most three active API keys of an app' },
    keyText: { name: 'keyText-{hash}', service: 'keys', protects: 'one key with an imported text, of all apps' },
    signingKey: { name: 'signingKey-{appId}', service: 'keys', protects: 'one active signing key of an app' },
    keystore: { name: 'keystore-{appId}', service: 'keys', protects: 'one keystore backup of an app' },
    groups: {
      name: 'groups-{appId}',
      service: 'device-updates',
      protects: 'at most 100 device groups of an app with 5,000,000 devices, one object for each',
    },
    merchant: {
      name: 'merchant-{storeId}',
      service: 'merchant-sync',
      protects: 'settings and connection of the listings module, one sync run at a time',
    },
    syncRun: {
      name: 'syncRun-{ulid}',
      service: 'merchant-sync',
      protects: 'the progress of one run, from which it resumes',
    },
    sequence: {
      name: 'sequence-{name}',
      service: 'every service',
      protects: 'blocks of integer ids: no id is given twice',
    },
  };

const DEFINITIONS = [gateway, registry, buildPipeline, keys, deviceUpdates, merchantSync];

const ENGINES = {
  events: 'event store',
  readStore: 'read store',
  stateStore: 'state store',
  objects: 'object store',
  vault: 'vault',
} as const;

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
const code = (text: string) => `\`${text}\``;

/** The page as Markdown; tables are not padded. */
export function eventsPage(): string {
  const streams = Object.keys(STREAMS).map((kind) => {
    const { name, service, protects } = KINDS[kind]!;
    return [code(name), service, protects, Object.keys(STREAMS[kind]!.examples).map(code).join(', ')];
  });
  const projections = DEFINITIONS.flatMap((service) =>
    service.projections.map(({ name, prefixes, collections }) => [
      code(name),
      service.name,
      prefixes.map(code).join(', '),
      collections.map((collection) => code(collection.name)).join(', '),
    ]),
  );
  const services = DEFINITIONS.map(({ name, needs }) => [
    name,
    ...Object.keys(ENGINES).map((engine) => (needs.includes(engine as keyof typeof ENGINES) ? 'yes' : '')),
  ]);
  return `# Streams, events and read models

<!-- Generated from test/golden-events/events.ts and services/*/*.service.ts: npm run docs:events -->

A stream is the unit of consistency: a command reads one stream, decides, and appends with the revision that it read.
\`EVENT_STORE_PREFIX\` precedes the name of every stream.

## Streams

${table(['stream', 'written by', 'what it protects', 'events'], streams)}

\`test/golden-events\` holds an example of each event with all its members.

## Projections

A projection reads the events of streams whose names begin with one of its prefixes, and writes rows.

${table(['projection', 'service', 'streams', 'collections'], projections)}

## Engines of each service

A service opens only these engines, and gets only their credentials. \`libs/vault\` decrypts the secrets, which are in the state
store.

${table(['service', ...Object.values(ENGINES)], services)}
`;
}

if (require.main === module) {
  writeFileSync(EVENTS_PAGE, eventsPage());
  execFileSync('npx', ['prettier', '--write', EVENTS_PAGE], { stdio: 'inherit' });
}
