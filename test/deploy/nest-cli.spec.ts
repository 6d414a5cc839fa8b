import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

interface Project {
  readonly sourceRoot: string;
  readonly compilerOptions: { readonly deleteOutDir: boolean };
}

it('nest-cli.json has a project for each service that leaves the built console in place', () => {
  const { entryFile, projects } = JSON.parse(readFileSync(join(ROOT, 'nest-cli.json'), 'utf8')) as {
    entryFile: string;
    projects: Readonly<Record<string, Project>>;
  };
  const services = readdirSync(join(ROOT, 'services')).filter((name) =>
    existsSync(join(ROOT, 'services', name, `${entryFile}.ts`)),
  );
  expect(Object.keys(projects).sort()).toEqual(services.sort());
  for (const [name, { sourceRoot, compilerOptions }] of Object.entries(projects)) {
    expect({ sourceRoot, deleteOutDir: compilerOptions.deleteOutDir }).toEqual({
      sourceRoot: `services/${name}`,
      deleteOutDir: false,
    });
  }
});
