import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { installed } from '../engines/start-engine';
import { copyWithSecrets, ROOT } from './made-secrets';

export type Labels = Readonly<Record<string, string>>;
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
}

/** One way to make the manifests of an installation. */
export interface Rendering {
  readonly title: string;
  /** Whether the engines run in the cluster, for a trial. */
  readonly inside: boolean;
  /** The program that is missing on this machine. */
  readonly missing?: string | undefined;
  /** The file whose text has the commands of the installation. */
  readonly guide: string;
  /** Prepares a folder as an operator does: `deploy` and `k8s`, with secrets. */
  readonly prepare: (folder: string) => Promise<void>;
  /** Renders in a prepared folder, with more settings of every service. */
  readonly render: (folder: string, settings?: Readonly<Record<string, string>>) => KubernetesObject[];
}

export const HELM = installed('helm');
export const HELM_PAGE = 'docs/operations/helm.md';
const CHART = join('deploy', 'helm', 'sluice');

const builder = [
  ['kubectl', 'kustomize'],
  ['kustomize', 'build'],
].find(([command = '', ...args]) => spawnSync(command, [...args, '--help']).status === 0);

function overlay(name: 'development' | 'production'): Rendering {
  const guide = join('k8s', 'overlays', name, 'kustomization.yaml');
  return {
    title: `the overlay ${name}`,
    inside: name === 'development',
    missing: builder ? undefined : 'kubectl, no kustomize',
    guide,
    prepare: (folder) => copyWithSecrets(folder, 'development'),
    render: (folder, settings = {}) => {
      const changed = join(folder, 'changed');
      cpSync(join(folder, 'k8s'), changed, { recursive: true });
      const file = join(changed, 'overlays', name, 'kustomization.yaml');
      const lines = Object.entries(settings).map(([setting, value]) => `\n$1${setting}=${value}`);
      writeFileSync(file, readFileSync(file, 'utf8').replace(/( +- )PUBLIC_URL=.*/, `$&${lines.join('')}`));
      const [command = '', ...args] = builder ?? [];
      return objectsOf(execFileSync(command, [...args, join(changed, 'overlays', name)], { encoding: 'utf8' }));
    },
  };
}

function chart(inside: boolean): Rendering {
  return {
    title: `the chart with engines ${inside ? 'inside' : 'outside'}`,
    inside,
    missing: HELM === undefined ? 'helm' : undefined,
    guide: HELM_PAGE,
    prepare: async (folder) => {
      await copyWithSecrets(folder, 'helm');
      writeFileSync(join(folder, 'production.yaml'), productionValues());
    },
    render: (folder, settings = {}) => {
      const sets = Object.entries(settings).map(([name, value]) => `settings.${name}=${value}`);
      const values = inside
        ? [join(CHART, 'values-trial.yaml'), join('deploy', 'helm', 'secrets.yaml')]
        : ['production.yaml'];
      return objectsOf(
        helm(folder, [
          ...['template', 'sluice', CHART, '--namespace', 'sluice'],
          ...values.flatMap((file) => ['--values', file]),
          ...sets.flatMap((set) => ['--set-string', set]),
        ]),
      );
    },
  };
}

export const RENDERINGS: readonly Rendering[] = [
  overlay('development'),
  overlay('production'),
  chart(true),
  chart(false),
];

/** The values that the page gives as an example of an installation in production. */
export function productionValues(): string {
  const page = readFileSync(join(ROOT, HELM_PAGE), 'utf8');
  const [, values] = /^```yaml\n(# production\.yaml\n[\s\S]*?)^```$/m.exec(page) ?? [];
  if (values === undefined) throw new Error(`${HELM_PAGE} has no production.yaml.`);
  return values;
}

/** Runs helm, without a cluster and without files of its own outside of the folder. Throws with what it printed. */
export function helm(folder: string, args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: folder };
  const { status, stdout, stderr } = spawnSync(HELM!, args, { cwd: folder, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr + stdout);
  return stdout;
}

function objectsOf(manifests: string): KubernetesObject[] {
  return parseAllDocuments(manifests)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null)
    .map(unfolded);
}

/** Long values of secrets come in several lines. */
function unfolded(object: KubernetesObject): KubernetesObject {
  if (object.kind !== 'Secret' || object.data === undefined) return object;
  const data = Object.entries(object.data).map(([name, value]) => [name, value.replace(/\s/g, '')]);
  return { ...object, data: Object.fromEntries(data) as Record<string, string> };
}
