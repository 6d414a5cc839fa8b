import { join } from 'node:path';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';
import { buildFacts, withFiles } from '../support/device-plane';
import { zipOf } from '../support/zip';
import { objectKeyOf } from './history';
import { benchPlane, PLANE_BUILDS } from './plane-check';

const RUNTIME_VERSION = '1.0.0';
/** Each checks again and again, as an app does at each of its starts. The first check, which reports it, is in the warm-up. */
const DEVICES = 1_000;
/** Of an export: a manifest of about 20 kB. */
const ASSETS = 50;

/** Requests for a manifest by Expo's clients per second, compared with a bare `node:http` server that sends the same bytes. */
benchPlane('expo-check', {
  fingerprint: RUNTIME_VERSION,
  async prepare(folder) {
    const objects = await openFilesystemObjectStore({ path: join(folder, 'objects') });
    // Of those that are offered.
    for (const build of [PLANE_BUILDS - 2, PLANE_BUILDS - 1, PLANE_BUILDS]) {
      const assets = Array.from({ length: ASSETS }, (_, n) => ({ path: `assets/${n}`, ext: 'png' }));
      const contents = assets.map(({ path }) => [path, `${path} of ${build}`]);
      const metadata = { version: 0, bundler: 'metro', fileMetadata: { ios: { bundle: 'index.hbc', assets } } };
      const zip = await zipOf({
        ...{ 'metadata.json': JSON.stringify(metadata), 'index.hbc': `Bundle ${build}` },
        ...(Object.fromEntries(contents) as Record<string, string>),
      });
      await withFiles(objects, { ...buildFacts(build, '1.0.0'), objectKey: objectKeyOf(build) }, zip);
    }
    await objects.close();
  },
  request(n, apiKey) {
    const device = `7f9c24e8-0000-4000-8000-${String(Math.abs(n) % DEVICES).padStart(12, '0')}`;
    return (
      `GET /compat/expo/${apiKey} HTTP/1.1\r\nHost: updates\r\nAccept: multipart/mixed,application/expo+json,application/json\r\n` +
      'Expo-Protocol-Version: 1\r\nExpo-API-Version: 1\r\nExpo-Updates-Environment: BARE\r\nExpo-JSON-Error: true\r\n' +
      `Expo-Platform: ios\r\nExpo-Runtime-Version: ${RUNTIME_VERSION}\r\nEAS-Client-ID: ${device}\r\n` +
      'Expo-Embedded-Update-ID: 0e0e0e0e-0000-4000-8000-00000000000e\r\nexpo-channel-name: production\r\n\r\n'
    );
  },
  // A device that is up to date gets a response without a body, which costs less.
  isRight: (_n, body) => body.includes('"launchAsset":{"hash":'),
});
