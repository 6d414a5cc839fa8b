import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryDirectory } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { allowWrites, mayForbidWrites, mayMount, mountSmallDisk, type SmallDisk } from '../support/small-disk';
import { auditData } from './audit';
import type { Client, Outcome } from './client';
import { faultRun } from './run';
import { FAULT_SETTINGS, Scene } from './scene';
import type { DeviceWatch } from './watch';

const { random } = faultRun('a disk that fails');
const DISK_BYTES = 48 * 1024 * 1024;
/** More than the write-ahead log holds: on a full disk it takes what fits into it. */
const MANY = 3_000;
const PAUSE_MS = 50;

describe.each([
  { disk: 'a full disk', possible: mayMount() },
  { disk: 'a disk that rejects writes', possible: mayForbidWrites() },
  { disk: 'an object folder that is read-only', possible: mayMount() },
])('$disk', ({ disk, possible }) => {
  const onlyObjects = disk.startsWith('an object folder');
  const test = possible ? it : it.skip;
  let mounted: SmallDisk | undefined;
  let dataDir: string;
  let deployment: Deployment;
  let scene: Scene;
  let watch: DeviceWatch;
  let client: Client;

  beforeAll(async () => {
    if (!possible) return;
    dataDir = temporaryDirectory();
    if (disk !== 'a disk that rejects writes') mounted = mountSmallDisk(DISK_BYTES);
    const folders = onlyObjects
      ? { DATA_DIR: dataDir, OBJECT_STORE_URL: `file:${mounted!.path}/objects` }
      : { DATA_DIR: mounted?.path ?? dataDir };
    deployment = await standalone.deploy({ ...FAULT_SETTINGS, ...folders });
    scene = await Scene.open(deployment, random);
    client = scene.client(random);
    watch = await scene.watchDevices();
    const load = scene.startLoad();
    await load.until(scene.acknowledgements.next(30));
    await load.stop();
    await scene.compare();
  }, 120_000);

  afterAll(async () => {
    if (!possible) return;
    await deployment.destroy();
    mounted?.unmount();
  }, 60_000);

  async function setFailing(failing: boolean): Promise<void> {
    if (onlyObjects) mounted!.setReadOnly(failing);
    else if (mounted === undefined) allowWrites(deployment.processes[0]!.child.pid!, !failing);
    else await (failing ? mounted.fill() : mounted.free());
  }

  let probes = 0;
  const createApp = (): Promise<Outcome<unknown>> => {
    const name = `probe${++probes}`;
    return client.post('/apps', { name, bundle_id: `com.example.${name}`, description: 'x'.repeat(4_000) });
  };
  const upload = () => scene.ledger.contest.enter(client, `probe${++probes}`);

  test('rejects writes with the right codes, and continues to read and to answer devices', async () => {
    await setFailing(true);
    expect(await upload()).toEqual({ kind: 'refused', code: 'UPLOAD_FAILED' });
    if (onlyObjects) {
      expect(await createApp()).toMatchObject({ kind: 'acknowledged' });
    } else {
      let tries = 0;
      while ((await createApp()).kind === 'acknowledged') {
        tries += 1;
        expect(tries).toBeLessThan(MANY);
      }
    }
    expect(await client.read('/apps')).toBeDefined();
    expect(await scene.compareBytes()).toBeGreaterThan(0);
    const load = scene.startLoad();
    await load.until(delay(2_000));
    await load.stop();
    expect(await upload()).toMatchObject({ kind: expect.not.stringMatching('acknowledged') as string });
  }, 120_000);

  test('recovers unaided, with everything that was acknowledged and nothing half done', async () => {
    await setFailing(false);
    while ((await createApp()).kind !== 'acknowledged') await delay(PAUSE_MS);
    while ((await upload()).kind !== 'acknowledged') await delay(PAUSE_MS);
    const load = scene.startLoad();
    await load.until(scene.acknowledgements.next(30));
    await load.stop();
    await scene.compare();
    expect(await scene.compareBytes()).toBeGreaterThan(0);
    expect(await watch.stop()).toBeGreaterThan(0);
    await auditData(deployment);
    expect(await deployment.stop()).toEqual([0]);
    expect(await readdir(join(objectFolder(), 'staging~'))).toEqual([]);
  }, 180_000);

  function objectFolder(): string {
    return join(onlyObjects ? mounted!.path : deployment.dataDir, 'objects');
  }
});
