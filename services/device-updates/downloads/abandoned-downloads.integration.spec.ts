import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sluice/testing';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  withBundle,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';
import { checkUpdate } from '../../../test/support/http';

jest.setTimeout(60_000);

/** More than the buffers between file and device hold. */
const bytes = randomBytes(16_000_000);
const TIMES = 200;
const inProc = process.platform === 'linux' ? it : it.skip;

describe('downloads that devices give up', () => {
  let stores: DeviceStores;
  let plane: DevicePlane;
  let url: string;

  beforeAll(async () => {
    stores = await openDeviceStores();
    await stores.registerApp(1);
    const key = await stores.createKey(1, 1);
    await stores.publish(await withBundle(stores.objects, buildFacts(1, '1.0.0'), bytes));
    plane = await startDevicePlane(stores);
    await plane.index.open();
    url = (await checkUpdate(plane.address, key, 'device', '0.9.0')).body.downloadUrl;
  });

  afterAll(async () => {
    await plane.close();
    await stores.close();
  });

  const openFiles = () => readdirSync('/proc/self/fd').length;
  const settled = async (most: number) => {
    await eventually(() => openFiles() <= most);
  };

  async function giveUp(headers: Record<string, string> = {}): Promise<void> {
    const outgoing = request(url, { headers, agent: false }).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    await once(incoming, 'data');
    outgoing.destroy();
  }

  inProc('leave no open file behind, and the next one resumes where it stopped', async () => {
    await giveUp();
    await delay(200);
    const before = openFiles();
    for (let n = 0; n < TIMES; n += 20) {
      await Promise.all(Array.from({ length: 20 }, () => giveUp(n % 40 === 0 ? {} : { Range: 'bytes=1000-' })));
    }
    await settled(before + 2);

    const rest = await fetch(url, { headers: { Range: 'bytes=15999000-' } });
    expect(rest.status).toBe(206);
    expect(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(15_999_000))).toBe(true);
    const several = await fetch(url, { headers: { Range: 'bytes=0-1,5-6' } });
    expect([several.status, (await several.arrayBuffer()).byteLength]).toEqual([200, bytes.length]);
  });
});
