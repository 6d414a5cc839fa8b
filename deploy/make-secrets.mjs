// Makes fresh random secrets for an installation whose engines run next to it:
//   node deploy/make-secrets.mjs compose       writes deploy/.env and a file per service in deploy/secrets
//   node deploy/make-secrets.mjs development   writes engines.env and a file per service in k8s/overlays/development
//   node deploy/make-secrets.mjs helm          writes deploy/helm/secrets.yaml, values of the chart with engines inside
// Each service is given the engines that it needs, with a user of its own on those that have users, and the keys that seal
// its own secrets. Existing files stay: secrets in use are not replaced.
import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { argv, exit, stderr, stdout } from 'node:process';
import { crc32 } from 'node:zlib';

/** The engines that each service opens besides NATS, as its definition declares them. */
const NEEDS = {
  gateway: ['events', 'stateStore', 'objects', 'vault'],
  registry: ['events', 'readStore', 'stateStore', 'vault'],
  'build-pipeline': ['events', 'readStore', 'stateStore', 'objects'],
  'device-updates': ['events', 'readStore', 'stateStore', 'objects', 'vault'],
  keys: ['events', 'readStore', 'stateStore', 'objects', 'vault'],
  'merchant-sync': ['events', 'readStore', 'stateStore', 'objects', 'vault'],
};
const SERVICES = Object.keys(NEEDS);

/** What each service seals, as SEAL_PURPOSES of libs/contracts has it. keys seals everything again, under MASTER_KEY. */
const SEAL_PURPOSES = {
  gateway: ['data-key:sessions'],
  registry: ['shown'],
  'device-updates': ['data-key:download-url', 'data-key:device-id'],
  'merchant-sync': ['data-key:oauth-verifiers', 'oauthClients', 'oauthTokens', 'webhooks'],
};

const [, , kind, folder = import.meta.dirname] = argv;
const hex = (bytes) => randomBytes(bytes).toString('hex');
/** NATS parses the values of variables: this one is text, whatever its digits. */
const password = () => `p${hex(16)}`;

const ownerKeyBody = `svc_own_${hex(32)}`;
const ownerKey = `${ownerKeyBody}_${crc32(ownerKeyBody).toString(16).padStart(8, '0')}`;
const masterKey = hex(32);

/** As `sluice secrets derive` does, which is not built yet. */
function sealKeysOf(service) {
  const keys = ['master-key-check', ...SEAL_PURPOSES[service]].map((purpose) => {
    const key = hkdfSync('sha256', Buffer.from(masterKey, 'hex'), '', `sluice/seal/${purpose}`, 32);
    return `${purpose}=${Buffer.from(key).toString('hex')}`;
  });
  const checksum = createHash('sha256').update(keys.join(',')).digest('hex').slice(0, 16);
  return `${keys.join(',')},checksum=${checksum}`;
}

const services = {};
const engines = { MONGO_PASSWORD: password(), MONGO_REPLICA_KEY: hex(64), MINIO_PASSWORD: password() };
for (const [service, needs] of Object.entries(NEEDS)) {
  const [nats, mongo, minio] = [password(), password(), password()];
  const variable = service.toUpperCase().replace('-', '_');
  engines[`NATS_${variable}_PASSWORD`] = nats;
  engines[`MONGO_${variable}_PASSWORD`] = mongo;
  if (needs.includes('objects')) engines[`MINIO_${variable}_PASSWORD`] = minio;
  const settings = {
    vault: service in SEAL_PURPOSES ? { SEAL_KEYS: sealKeysOf(service) } : { MASTER_KEY: masterKey },
    events: { EVENT_STORE_URL: 'esdb://eventstore:2113?tls=false' },
    stateStore: {
      STATE_STORE_URL: `mongodb://${service}:${mongo}@mongo:27017/sluice_state?authSource=admin&replicaSet=rs0`,
    },
    readStore: {
      READ_STORE_URL: `mongodb://${service}:${mongo}@mongo:27017/sluice_read?authSource=admin&replicaSet=rs0`,
    },
    objects: { OBJECT_STORE_URL: `minio://${service}:${minio}@minio:9000/sluice` },
  };
  services[service] = {
    BUS_URL: `nats://${service}:${nats}@nats:4222`,
    ...Object.assign({}, ...needs.map((engine) => settings[engine])),
    // Makes the first owner.
    ...(service === 'registry' && { OWNER_KEY: ownerKey }),
  };
}

const filesIn = (place) => Object.fromEntries(SERVICES.map((name) => [`${place}/${name}.env`, services[name]]));
const overlay = '../k8s/overlays/development';
const files = {
  compose: { '.env': { ...engines, GRAFANA_PASSWORD: password() }, ...filesIn('secrets') },
  development: { [`${overlay}/engines.env`]: engines, ...filesIn(overlay) },
  helm: { 'helm/secrets.yaml': { secrets: { engines, ...services } } },
}[kind];
if (files === undefined) {
  stderr.write('Name the kind of installation: node deploy/make-secrets.mjs compose, development or helm\n');
  exit(2);
}

const paths = Object.keys(files).map((name) => join(folder, name));
const present = paths.filter((path) => existsSync(path));
if (present.length > 0) {
  stderr.write(`These files exist already: ${present.join(', ')}. Nothing was changed.\n`);
  exit(1);
}
for (const [index, values] of Object.values(files).entries()) {
  const lines = () => Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  // JSON is YAML.
  const text = paths[index].endsWith('.env') ? lines().join('') : `${JSON.stringify(values, null, 2)}\n`;
  mkdirSync(dirname(paths[index]), { recursive: true, mode: 0o700 });
  writeFileSync(paths[index], text, { mode: 0o600 });
}
stdout.write(`Written: ${paths.join(', ')}. Keep these files secret, and back them up.\n`);
