import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describePlane } from '@sluice/openapi';
import { API_VERSION } from '@sluice/client';
import { ALL_PLANES } from '../support/planes';
import { ROOT } from './made-secrets';

it('has the operations of the server in libs/client (else: npm run docs:client)', async () => {
  const generator = ['-r', './test/register-swc.cjs', 'test/deploy/client-planes.ts', '--check'];
  // Jest can't load the ES modules that the generator needs.
  await promisify(execFile)(process.execPath, generator, { cwd: ROOT });
});

it('is generated from the one API version of all planes', () => {
  const versions = Object.values(ALL_PLANES).map((plane) => describePlane(plane).info.version);
  expect(new Set(versions)).toEqual(new Set([API_VERSION]));
});
