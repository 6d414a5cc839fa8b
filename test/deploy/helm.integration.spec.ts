import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { parse, stringify } from 'yaml';
import { SERVICE_SETTINGS } from '../../services/config/settings';
import { commonSettings } from '../../libs/config/settings';
import { runProgram, shellBlocks, writeProgram } from '../support/shell';
import { copyWithSecrets, credentialsOf, NEEDS, ROOT } from './made-secrets';
import { HELM, HELM_PAGE, helm, type KubernetesObject, productionValues, RENDERINGS } from './renderings';

const CHART = 'deploy/helm/sluice';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const suite = HELM === undefined ? describe.skip : describe;
const named = (name: string) => (HELM === undefined ? `${name} (no helm)` : name);

describe('the chart', () => {
  it('has the version of the repository', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(parse(read(`${CHART}/Chart.yaml`))).toMatchObject({ version, appVersion: version });
  });

  it('takes for the secret of each service what the service needs, and rejects its credentials as settings', () => {
    type Names = { required: string[]; propertyNames: { enum: string[] } };
    const { properties } = JSON.parse(read(`${CHART}/values.schema.json`)) as {
      properties: { secrets: { properties: Record<string, Names> } };
    };
    const isSecret = ([, schema]: [string, { meta(): unknown }]) =>
      (schema.meta() as { secret?: boolean } | undefined)?.secret === true;
    const secretsOf = (shape: object) =>
      Object.entries(shape)
        .filter(isSecret)
        .map(([name]) => name);
    const common = secretsOf(commonSettings.shape);
    const own = Object.fromEntries(
      Object.entries(SERVICE_SETTINGS).map(([name, { shape }]) => [
        name,
        secretsOf(shape).filter((setting) => !common.includes(setting)),
      ]),
    );
    const checks = read(`${CHART}/templates/checks.yaml`);
    for (const name of [...common, ...Object.values(own).flat()]) expect(checks).toContain(`"${name}"`);
    for (const name of Object.keys(NEEDS)) {
      const { required, propertyNames } = properties.secrets.properties[name]!;
      expect([name, [...required].sort()]).toEqual([name, credentialsOf(name)]);
      const former = required.filter((setting) => /^(MASTER_KEY|SEAL_KEYS)$/.test(setting));
      const allowed = [...required, ...former.map((setting) => `${setting}_PREVIOUS`), ...(own[name] ?? [])];
      expect([name, [...propertyNames.enum].sort()]).toEqual([name, allowed.sort()]);
    }
  });

  it('holds no password', () => {
    const { secrets } = parse(read(`${CHART}/values.yaml`)) as { secrets: unknown };
    expect(secrets).toEqual({});
    expect(read(`${CHART}/values-trial.yaml`)).not.toMatch(/PASSWORD|_KEY|secrets:/);
  });
});

suite(named('helm'), () => {
  let folder: string;
  beforeAll(async () => {
    folder = temporaryDirectory();
    await copyWithSecrets(folder, 'helm');
    writeFileSync(join(folder, 'production.yaml'), productionValues());
  });

  const render = (values: unknown, ...files: string[]) => {
    writeFileSync(join(folder, 'more.yaml'), stringify(values));
    const given = [...files, 'more.yaml'].flatMap((file) => ['--values', file]);
    return helm(folder, ['template', 'sluice', CHART, '--namespace', 'sluice', ...given]);
  };
  const TRIAL = [`${CHART}/values-trial.yaml`, 'deploy/helm/secrets.yaml'];

  it.each([['production.yaml'], TRIAL])('finds no fault in the chart with %s', (...files) => {
    const printed = helm(folder, ['lint', CHART, '--strict', ...files.flatMap((file) => ['--values', file])]);
    expect(printed).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('runs the commands of the page', async () => {
    // There is no cluster here: Helm renders what it would install, and the other programs do nothing.
    for (const name of ['docker', 'kind', 'kubectl', 'npx']) await writeProgram(folder, name, '#!/bin/sh\n');
    const script = `#!/bin/sh\ncase "$1" in install|upgrade) shift; set -- template "$@";; esac\nexec '${HELM!}' "$@"\n`;
    const PATH = await writeProgram(folder, 'helm', script);
    for (const commands of shellBlocks(HELM_PAGE)) {
      const fresh = commands.replace('node deploy/make-secrets.mjs helm', 'rm deploy/helm/secrets.yaml\n$&');
      const printed = await runProgram(['bash', '-e', '-c', fresh], { cwd: folder, env: { PATH } });
      expect(printed).toContain('kind: Deployment');
    }
  });

  it.each([
    ['no address', { image: { repository: 'sluice' } }, [], "missing property 'publicUrl'"],
    ['an address with a path', { publicUrl: 'https://updates.example.com/x' }, ['production.yaml'], '/publicUrl'],
    ['a misspelt value', { replica: 2 }, ['production.yaml'], "additional properties 'replica' not allowed"],
    ['an unknown service', { services: { getaway: {} } }, ['production.yaml'], "'getaway' not allowed"],
    ['no replica', { services: { keys: { replicas: 0 } } }, ['production.yaml'], '/services/keys/replicas'],
    ['a number as setting', { settings: { LIMIT_DOWNLOADS: 5 } }, ['production.yaml'], 'got number, want string'],
    ['a credential as setting', { settings: { MASTER_KEY: 'x' } }, ['production.yaml'], 'MASTER_KEY is a credential'],
    [
      'a setting of the chart',
      { services: { keys: { settings: { PORT: '80' } } } },
      ['production.yaml'],
      'sets PORT itself',
    ],
    ['the address as setting', { settings: { PUBLIC_URL: 'x' } }, ['production.yaml'], 'give the address as publicUrl'],
    ['an unpinned image', { image: { tag: 'latest' } }, ['production.yaml'], 'Give the tag of a release'],
    ['a digest without its algorithm', { image: { digest: 'abc' } }, ['production.yaml'], '/image/digest'],
    ['HTTPS as port of engines', { engines: { ports: [443] } }, ['production.yaml'], 'engines.ports has 443'],
    ['a port that is none', { engines: { ports: [0] } }, ['production.yaml'], '/engines/ports/0'],
    ['secrets of one service', { secrets: { keys: {} } }, ['production.yaml'], "'BUS_URL'"],
    ['the master key for another service', { secrets: { gateway: { MASTER_KEY: 'x' } } }, TRIAL, "'MASTER_KEY'"],
    ['passwords of no engine', { engines: { inside: false } }, TRIAL, 'Set engines.inside to true'],
    [
      'fewer replicas than now',
      { services: { keys: { maxReplicas: 1 } } },
      ['production.yaml'],
      'less than its replicas, 2',
    ],
  ])('rejects %s', (_, values, files, message) => {
    expect(() => render(values, ...files)).toThrow(message);
  });

  it.each([
    [
      TRIAL,
      // Not its condition Available: a Deployment that may lack its only pod has it from the start.
      [
        'rollout status deployment',
        'open http://127.0.0.1:8080/console',
        'port-forward service/gateway 8080:80',
        'get secret sluice-registry',
      ],
    ],
    [['production.yaml'], ['https://updates.example.com/console', 'keys: sluice-keys', 'rollout restart']],
  ])('explains the next steps, with %s', (files, steps) => {
    const notes = join(folder, CHART, 'templates', 'notes.yaml');
    writeFileSync(notes, 'notes: {{ include (print .Template.BasePath "/NOTES.txt") . | toJson }}\n');
    const printed = render({}, ...files);
    rmSync(notes);
    for (const step of steps) expect(printed).toContain(step);
  });

  it('starts new pods of a service whose secret or settings changed', () => {
    const checksums = (values: unknown) =>
      [...render(values, ...TRIAL).matchAll(/checksum\/settings: (\w+)/g)].map(([, checksum]) => checksum!);
    const before = checksums({});
    const changed = (values: unknown) => checksums(values).filter((checksum, index) => checksum !== before[index]);
    expect(before).toHaveLength(6);
    expect(changed({})).toEqual([]);
    expect(changed({ secrets: { registry: { OWNER_KEY: 'svc_own_other' } } })).toHaveLength(1);
    expect(changed({ settings: { LOG_LEVEL: 'warn' } })).toHaveLength(6);
  });

  for (const inside of [true, false]) {
    const [overlay, chart] = RENDERINGS.filter((rendering) => rendering.inside === inside);
    const test = overlay!.missing === undefined ? it : it.skip;
    const name = `renders with engines ${inside ? 'inside' : 'outside'} what ${overlay!.title} does`;
    test(overlay!.missing === undefined ? name : `${name} (no ${overlay!.missing})`, async () => {
      const other = temporaryDirectory();
      await overlay!.prepare(other);
      const [expected, rendered] = [overlay!.render(other), chart!.render(folder)].map(comparable);
      expect(Object.keys(rendered!).sort()).toEqual(Object.keys(expected!).sort());
      expect(rendered).toEqual(expected);
    });
  }
});

/** By kind and name, what an object does, without names and checksums that each tool makes of contents. */
function comparable(objects: readonly KubernetesObject[]): Record<string, unknown> {
  const plain = (name: string) => name.replace(/-[a-z0-9]{10}$/, '');
  const entries = objects
    .filter(({ kind }) => kind !== 'Namespace')
    .map((object) => {
      const text = JSON.stringify(
        object.kind === 'Secret'
          ? Object.keys(object.data ?? {})
          : [object.spec, object.kind === 'ConfigMap' && object.data],
        (key, value: unknown) => {
          if (key === 'name' && typeof value === 'string') return plain(value);
          // The overlay leaves one replica to Kubernetes, and has no checksums.
          if (key.startsWith('checksum/') || (key === 'replicas' && value === 1)) return undefined;
          if (key === 'annotations' && Object.keys(value as object).every((name) => name.startsWith('checksum/')))
            return undefined;
          return value;
        },
      );
      return [`${object.kind} ${plain(object.metadata.name)}`, JSON.parse(text) as unknown];
    });
  return Object.fromEntries(entries) as Record<string, unknown>;
}
