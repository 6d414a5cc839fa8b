import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileIndexKey } from '@sluice/contracts';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';
import { benchPlane, PLANE_BUILDS } from './plane-check';
import { objectKeyOf, versionOf } from './history';

/** Each checks again and again, as an app does at each of its starts. */
const DEVICES = 5_000;

/** Update checks of CodePush's clients per second, compared with a bare `node:http` server that sends the same bytes. */
benchPlane('codepush-check', {
  async prepare(folder) {
    const objects = await openFilesystemObjectStore({ path: join(folder, 'objects') });
    const file = { size: 5, md5: '', crc32: 0, offset: 0, compressedSize: 5, deflated: false };
    for (let build = 1; build <= PLANE_BUILDS; build += 1) {
      const sha256 = build.toString(16).padStart(64, '0');
      const index = { files: [{ ...file, path: 'CodePush/main.jsbundle', sha256 }] };
      await objects.put(fileIndexKey(objectKeyOf(build)), Readable.from([Buffer.from(JSON.stringify(index))]));
    }
    await objects.close();
  },
  request(n, apiKey) {
    const device = `7f9c24e8-${String(Math.abs(n) % DEVICES).padStart(9, '0')}`;
    const hash = 'ab'.repeat(32);
    // Every second device runs the newest version already.
    const running = (n & 1) === 1 ? `&package_hash=${hash}&label=v400-${versionOf(PLANE_BUILDS)}` : '&&';
    const query = `deployment_key=${apiKey}&app_version=1.0.0${running}&client_unique_id=${device}`;
    return (
      `GET /compat/codepush/v0.1/public/codepush/update_check?${query} HTTP/1.1\r\nHost: updates\r\n` +
      'Accept: application/json\r\nContent-Type: application/json\r\nX-CodePush-Plugin-Name: react-native-code-push\r\n' +
      'X-CodePush-Plugin-Version: 9.0.1\r\nX-CodePush-SDK-Version: 4.2.3\r\n\r\n'
    );
  },
  isRight(n, body) {
    const { update_info: info } = JSON.parse(body) as { readonly update_info: Record<string, unknown> };
    return (n & 1) === 1
      ? info['is_available'] === false
      : info['package_hash'] !== '' && info['is_available'] === true;
  },
});
