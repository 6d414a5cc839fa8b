import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './made-secrets';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const dockerfile = read('deploy/Dockerfile');
const { version } = JSON.parse(read('package.json')) as { version: string };

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly unknown[];
  readonly components?: readonly Component[];
}
const nameOf = ({ group, name, version }: Component) => `${group === undefined ? '' : `${group}/`}${name}@${version}`;
/** Packages that are installed below others are listed below them. */
const componentsOf = ({ components = [] }: Component): Component[] =>
  components.flatMap((each) => [each, ...componentsOf(each)]);

describe('the image', () => {
  it('runs as a user without a shell, and names what it is', () => {
    expect(dockerfile).toMatch(/^USER 1000:1000$/m);
    expect(dockerfile).toContain('--shell /usr/sbin/nologin');
    expect(dockerfile).toContain(`ARG VERSION=${version}`);
    for (const label of ['title', 'description', 'licenses', 'version', 'revision']) {
      expect(dockerfile).toContain(`org.opencontainers.image.${label}=`);
    }
  });

  it('copies files that the build context has', () => {
    const included = read('deploy/Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );
    expect(copied.length).toBeGreaterThan(5);
    for (const path of copied) expect(included).toContain(path);
  });

  it('has a list of materials with every package that it installs, and its licence', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { version: string; dev?: true; devOptional?: true; link?: true; name?: string }>;
    };
    const installed = Object.entries(packages)
      .filter(([path, { dev, link }]) => path !== '' && !dev && !link)
      .map(([path, found]) => `${found.name ?? path.replace(/^.*node_modules\//, '')}@${found.version}`);
    const printed = execFileSync('npm', ['run', '-s', 'sbom'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8 });
    const bom = JSON.parse(printed) as Component & { readonly bomFormat: string };
    const listed = componentsOf(bom);
    expect(bom.bomFormat).toBe('CycloneDX');
    expect(listed.map(nameOf).sort()).toEqual(installed.sort());
    expect(listed.filter(({ licenses = [] }) => licenses.length === 0)).toEqual([]);
  });
});
