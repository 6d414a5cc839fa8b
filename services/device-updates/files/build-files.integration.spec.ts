import { fileIndexKey } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import { rawZip } from '@sluice/testing/raw-zip';
import { Readable } from 'node:stream';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  withFiles,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';
import { BuildFilesHandlers } from './build-files.handlers';

const zipOf = (contents: Readonly<Record<string, string>>) =>
  rawZip(Object.entries(contents).map(([name, text]) => ({ name, content: Buffer.from(text), method: 8 })));

let stores: DeviceStores;
let plane: DevicePlane;
let handlers: BuildFilesHandlers;

beforeAll(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1);
  await stores.registerApp(2);
  const first = zipOf({ 'index.html': 'one', 'app.js': 'a'.repeat(100), 'gone.css': 'x'.repeat(50), same: 'same' });
  const next = zipOf({ 'index.html': 'two!', 'app.js': 'b'.repeat(300), 'new.png': 'y'.repeat(900), same: 'same' });
  const release = async (id: number, version: string, zip: Buffer, more: object = {}) =>
    stores.publish(await withFiles(stores.objects, buildFacts(id, version, more), zip));
  await release(1, '1.0.0', first);
  await release(2, '1.1.0', next);
  await release(3, '1.0.5', first, { channel: 'staging' });
  await release(4, '1.2.0', first, { appId: 2 });
  await stores.publish(buildFacts(5, '1.3.0'));
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`${n}.txt`, 'z'.repeat(n)]));
  await release(6, '2.0.0', zipOf(many), { channel: 'development' });
  plane = await startDevicePlane(stores);
  await plane.index.open();
  handlers = new BuildFilesHandlers(plane.index, plane.files);
});
afterAll(async () => {
  await plane.close();
  await stores.close();
});

const compare = (id: number, other?: number) => handlers.compare({ appId: 1, id, compare: other });

describe('the files of a build', () => {
  it('are compared with those of the previous build of its channel', async () => {
    await expect(compare(2)).resolves.toEqual({
      ...{ build_id: 2, version: '1.1.0', files: 4, size: 1_208 },
      compared_with: { build_id: 1, version: '1.0.0', files: 4, size: 157 },
      ...{ added: { files: 1, size: 900 }, removed: { files: 1, size: 50 }, changed: { files: 2, size: 304 } },
      changes: [
        { path: 'new.png', change: 'added', size: 900, size_before: null },
        { path: 'app.js', change: 'changed', size: 300, size_before: 100 },
        { path: 'gone.css', change: 'removed', size: null, size_before: 50 },
        { path: 'index.html', change: 'changed', size: 4, size_before: 3 },
      ],
      biggest: [
        { path: 'new.png', size: 900 },
        { path: 'app.js', size: 300 },
        { path: 'index.html', size: 4 },
        { path: 'same', size: 4 },
      ],
    });
  });

  it('are compared with those of another build of the app, and of no other app', async () => {
    await expect(compare(1, 3)).resolves.toMatchObject({
      ...{ added: { files: 0 }, removed: { files: 0 }, changed: { files: 0 }, changes: [] },
      compared_with: { build_id: 3, version: '1.0.5' },
    });
    await expect(compare(1, 4)).rejects.toMatchObject({ code: 'BUILD_NOT_FOUND' });
    await expect(compare(4)).rejects.toMatchObject({ code: 'BUILD_NOT_FOUND' });
    await expect(compare(1, 99)).rejects.toMatchObject({ code: 'BUILD_NOT_FOUND' });
  });

  it('are all new in the first build of a channel, and the biggest of many are listed', async () => {
    const { compared_with, added, changes, biggest } = await compare(6);
    expect(compared_with).toBeNull();
    expect(added.files).toBe(150);
    expect([changes.length, biggest.length]).toEqual([100, 10]);
    expect(changes[0]).toEqual({ path: '149.txt', change: 'added', size: 149, size_before: null });
  });

  it('are unknown until they are indexed, and of a build with too many files', async () => {
    await expect(compare(5)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { retry_after: 10 } });
    await stores.publish(buildFacts(7, '1.4.0'));
    await eventually(() => Promise.resolve(plane.index.builds.find(7) !== undefined));
    const large = Readable.from([Buffer.alloc(8 * 1024 * 1024 + 1, ' ')]);
    await stores.objects.put(fileIndexKey(buildFacts(7, '1.4.0').objectKey), large);
    const tooMany = 'This build has too many files to be listed one by one.';
    await expect(compare(7, 1)).rejects.toMatchObject({ code: 'NOT_FOUND', message: tooMany });
  });

  it('are compared with no build that is still being checked, or has too many files, unless it is named', async () => {
    const build = (id: number, version: string) => buildFacts(id, version, { channel: 'staging' });
    const checking = build(10, '1.2.0');
    await stores.change(checking, {
      type: 'BuildAccepted',
      data: { ...checking, jobId: '01J00000000000000000000000' },
    });
    const zip = zipOf({ 'index.html': 'one' });
    const publish = async (id: number, version: string) => {
      await stores.publish(await withFiles(stores.objects, build(id, version), zip));
      await eventually(() => Promise.resolve(plane.index.builds.find(id)?.active === true));
    };
    await publish(11, '1.3.0');
    await expect(compare(11)).resolves.toMatchObject({ compared_with: { build_id: 3 } });
    for (const asked of [compare(10), compare(11, 10)]) {
      await expect(asked).rejects.toMatchObject({ code: 'BUILD_NOT_FOUND' });
    }
    await stores.publish(build(12, '1.4.0'));
    const large = Readable.from([Buffer.alloc(8 * 1024 * 1024 + 1, ' ')]);
    await stores.objects.put(fileIndexKey(build(12, '1.4.0').objectKey), large);
    await publish(13, '1.5.0');
    await expect(compare(13)).resolves.toMatchObject({ files: 1, added: { files: 1 }, compared_with: null });
    await expect(compare(13, 12)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are unknown of an encrypted build, with which no other build is compared', async () => {
    const delivery = { capgo: { session_key: '', checksum: '' } };
    await stores.publish(buildFacts(8, '1.0.6', { delivery }));
    await eventually(() => Promise.resolve(plane.index.builds.find(8) !== undefined));
    await expect(compare(8)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(compare(2)).resolves.toMatchObject({ compared_with: { build_id: 1 } });
  });
});
