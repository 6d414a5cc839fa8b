// Makes fresh random secrets for an installation whose engines run beside it:
//   node deploy/make-secrets.mjs compose       writes deploy/.env
//   node deploy/make-secrets.mjs development   writes k8s/overlays/development/engines.env and owner.env
// What is there stays: secrets that are in use can't be made anew.
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, exit, stderr, stdout } from 'node:process';
import { crc32 } from 'node:zlib';

const [, , kind, folder = import.meta.dirname] = argv;
const hex = (bytes) => randomBytes(bytes).toString('hex');

const ownerKeyBody = `svc_own_${hex(32)}`;
const ownerKey = `${ownerKeyBody}_${crc32(ownerKeyBody).toString(16).padStart(8, '0')}`;
const passwords = { nats: hex(16), mongo: hex(16), minio: hex(16) };

const engines = {
  MASTER_KEY: hex(32),
  BUS_URL: `nats://sluice:${passwords.nats}@nats:4222`,
  EVENT_STORE_URL: 'esdb://eventstore:2113?tls=false',
  STATE_STORE_URL: `mongodb://sluice:${passwords.mongo}@mongo:27017/sluice_state?authSource=admin&replicaSet=rs0`,
  READ_STORE_URL: `mongodb://sluice:${passwords.mongo}@mongo:27017/sluice_read?authSource=admin&replicaSet=rs0`,
  OBJECT_STORE_URL: `minio://sluice:${passwords.minio}@minio:9000/sluice`,
  NATS_PASSWORD: passwords.nats,
  MONGO_PASSWORD: passwords.mongo,
  MONGO_REPLICA_KEY: hex(64),
  MINIO_PASSWORD: passwords.minio,
};

const files = {
  compose: { '.env': { ...engines, OWNER_KEY: ownerKey, GRAFANA_PASSWORD: hex(16) } },
  development: {
    '../k8s/overlays/development/engines.env': engines,
    '../k8s/overlays/development/owner.env': { OWNER_KEY: ownerKey },
  },
}[kind];
if (files === undefined) {
  stderr.write('Say for what: node deploy/make-secrets.mjs compose, or development\n');
  exit(2);
}

const paths = Object.keys(files).map((name) => join(folder, name));
const present = paths.filter((path) => existsSync(path));
if (present.length > 0) {
  stderr.write(`${present.join(' and ')} are there already. Nothing was changed.\n`);
  exit(1);
}
for (const [index, values] of Object.values(files).entries()) {
  const text = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(paths[index], text.join(''), { mode: 0o600 });
  stdout.write(`${paths[index]} was written; keep it secret, and back it up.\n`);
}
