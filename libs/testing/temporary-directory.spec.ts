import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Environment from './environment';
import { temporaryDirectory } from './temporary-directory';

it('makes another empty directory for every call', () => {
  const paths = [temporaryDirectory(), temporaryDirectory()];
  expect(new Set(paths).size).toBe(2);
  expect(paths.flatMap((path) => readdirSync(path))).toEqual([]);
  expect(globalThis.temporaryDirectories).toEqual(paths);
});

it('is removed with what is in it when the environment of the test file ends', async () => {
  const projectConfig = { globals: {}, testEnvironmentOptions: {}, fakeTimers: {} };
  const environment = new Environment({ projectConfig, globalConfig: {} } as never, {} as never);
  await environment.setup();
  const path = temporaryDirectory();
  writeFileSync(join(path, 'file'), 'text');
  (environment.global['temporaryDirectories'] as string[]).push(path);
  await environment.teardown();
  expect(existsSync(path)).toBe(false);
});
