// Makes fresh random secrets for an installation whose engines run beside it:
//   node deploy/make-secrets.mjs compose       writes deploy/.env and a file per service in deploy/secrets
//   node deploy/make-secrets.mjs development   writes engines.env and a file per service in k8s/overlays/development
// Each service has a user of its own on every engine that has users. Existing files stay: secrets in use are not replaced.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { argv, exit, stderr, stdout } from 'node:process';
import { crc32 } from 'node:zlib';

const SERVICES = ['gateway', 'registry', 'build-pipeline', 'device-updates', 'keys', 'merchant-sync'];

const [, , kind, folder = import.meta.dirname] = argv;
const hex = (bytes) => randomBytes(bytes).toString('hex');
/** NATS parses the values of variables: this one is text, whatever its digits. */
const password = () => `p${hex(16)}`;

const ownerKeyBody = `svc_own_${hex(32)}`;
const ownerKey = `${ownerKeyBody}_${crc32(ownerKeyBody).toString(16).padStart(8, '0')}`;
const masterKey = hex(32);

const services = {};
const engines = { MONGO_PASSWORD: password(), MONGO_REPLICA_KEY: hex(64), MINIO_PASSWORD: password() };
for (const service of SERVICES) {
  const [nats, mongo, minio] = [password(), password(), password()];
  const variable = service.toUpperCase().replace('-', '_');
  engines[`NATS_${variable}_PASSWORD`] = nats;
  engines[`MONGO_${variable}_PASSWORD`] = mongo;
  engines[`MINIO_${variable}_PASSWORD`] = minio;
  services[service] = {
    MASTER_KEY: masterKey,
    BUS_URL: `nats://${service}:${nats}@nats:4222`,
    EVENT_STORE_URL: 'esdb://eventstore:2113?tls=false',
    STATE_STORE_URL: `mongodb://${service}:${mongo}@mongo:27017/sluice_state?authSource=admin&replicaSet=rs0`,
    READ_STORE_URL: `mongodb://${service}:${mongo}@mongo:27017/sluice_read?authSource=admin&replicaSet=rs0`,
    OBJECT_STORE_URL: `minio://${service}:${minio}@minio:9000/sluice`,
    // Makes the first owner.
    ...(service === 'registry' && { OWNER_KEY: ownerKey }),
  };
}

const filesIn = (place) => Object.fromEntries(SERVICES.map((name) => [`${place}/${name}.env`, services[name]]));
const overlay = '../k8s/overlays/development';
const files = {
  compose: { '.env': { ...engines, GRAFANA_PASSWORD: password() }, ...filesIn('secrets') },
  development: { [`${overlay}/engines.env`]: engines, ...filesIn(overlay) },
}[kind];
if (files === undefined) {
  stderr.write('Name the kind of installation: node deploy/make-secrets.mjs compose, or development\n');
  exit(2);
}

const paths = Object.keys(files).map((name) => join(folder, name));
const present = paths.filter((path) => existsSync(path));
if (present.length > 0) {
  stderr.write(`These files exist already: ${present.join(', ')}. Nothing was changed.\n`);
  exit(1);
}
for (const [index, values] of Object.values(files).entries()) {
  const text = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  mkdirSync(dirname(paths[index]), { recursive: true, mode: 0o700 });
  writeFileSync(paths[index], text.join(''), { mode: 0o600 });
}
stdout.write(`Written: ${paths.join(', ')}. Keep these files secret, and back them up.\n`);
