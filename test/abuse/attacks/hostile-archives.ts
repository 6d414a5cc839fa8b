import { setTimeout as delay } from 'node:timers/promises';
import { crc32, deflateRawSync } from 'node:zlib';
import { rawZip, SYMLINK, unicodePath } from '@sluice/testing/raw-zip';
import { expectThat, type Attack } from '../target';

const PAGE = { name: 'index.html', content: '<p>page</p>' };
const EVIL = '../../../data/evil.js';

/** 64 KiB that unpack to 64 MiB, 40 times: more than ten times the largest bundle. */
function bomb(): Buffer {
  const zeroes = Buffer.alloc(64 * 1024 ** 2);
  const packed = deflateRawSync(zeroes);
  const [crc, size] = [crc32(zeroes), zeroes.length];
  const names = Array.from({ length: 40 }, (_, n) => `zeroes-${n}.bin`);
  return rawZip([PAGE, ...names.map((name) => ({ name, method: 8 as const, packed, crc, size }))]);
}

let archives: readonly Buffer[] | undefined;
let token: string;
const apps: number[] = [];

export const hostileArchives: Attack = {
  name: 'hostile-archives',
  does: 'uploads archives that leave their folder, hide records or unpack to 2.5 GiB, 4 concurrently by a token',
  wants: [202],
  async prepare(target) {
    archives ??= [
      rawZip([PAGE, { name: EVIL, extra: unicodePath(EVIL, 'safe.js') }]),
      rawZip([PAGE, { name: 'a/./././link', content: '../../../../etc', unixMode: SYMLINK }]),
      rawZip([PAGE, { name: EVIL, content: 'evil()', hidden: true }]),
      bomb(),
    ];
    token = target.token();
    apps[target.round] = await target.newApp(token);
  },
  async run(target, signal) {
    const send = target.pool(4);
    const path = `/api/public/v1/apps/${apps[target.round]}/builds`;
    await target.repeat(
      signal,
      4,
      (n) => {
        const form = { fields: { version: `1.${n}.0`, channel: 'production' }, file: archives![n % archives!.length]! };
        return send({ method: 'POST', path, bearer: token, form }, signal);
      },
      50,
    );
  },
  async check(target) {
    const bearer = target.token();
    for (const app of apps) {
      const path = `/api/public/v1/apps/${app}/builds?per_page=50`;
      for (let left = 300; ; left -= 1) {
        const { data } = await target.prepared<{ data: { status: string }[] }>({ path, bearer });
        expectThat(!data.some(({ status }) => status === 'active'), 'A hostile archive became an active build.');
        if (!data.some(({ status }) => status === 'processing' || status === 'pending')) break;
        expectThat(left > 0, 'Jobs of hostile archives are still not over.');
        await delay(200);
      }
    }
  },
};
