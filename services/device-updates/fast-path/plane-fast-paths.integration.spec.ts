import fc from 'fast-check';
import { buildFacts, startBothWays, type BothWays } from '../../../test/support/device-plane';

jest.setTimeout(60_000);

let planes: BothWays;

beforeAll(async () => {
  planes = await startBothWays([
    buildFacts(1, '1.4.0', { releaseNotes: 'Größer 🚀' }),
    buildFacts(2, '1.5.0', { rolloutPercentage: 50 }),
    buildFacts(3, '1.6.0', { channel: 'staging' }),
  ]);
});

afterAll(() => planes.close());

interface Asked {
  readonly path: string;
  readonly body?: object;
}

async function answer(address: string, { path, body }: Asked) {
  const json = { 'Content-Type': 'application/json' };
  const posted = body && { method: 'POST', body: JSON.stringify(body), headers: json };
  const response = await fetch(`${address}${path}`, posted);
  const headers = Object.fromEntries(response.headers);
  delete headers['date'];
  return { status: response.status, headers, body: await response.text() };
}

const versions = fc.constantFrom('1.0.0', '1.4.0', '9', '', 'v1', 'x', 'a%20b', 'a+b');
const devices = fc.constantFrom('a', 'b', 'c', '', 'ger%C3%A4t');
const platforms = fc.constantFrom('ios', 'android', 'web', '0', '1', '');
const channels = fc.constantFrom('staging', 'production', 'nowhere', 'two%20words', '');
const ids = fc.constantFrom('00000000-0000-7000-8000-000000000000', '01930000-0000-7000-8000-000000000001', 'none', '');

const said = fc.record({ version: versions, device: devices, platform: platforms, channel: channels, id: ids });
type Said = typeof said extends fc.Arbitrary<infer Value> ? Value : never;

/** A check of each protocol, with what the device says. */
const PLANES: Readonly<Record<string, (key: string, said: Said) => Asked>> = {
  capgo: (key, { version, device, platform, channel }) => ({
    path: `/compat/capgo/${key}/updates`,
    body: { version_name: version, version_build: version, device_id: device, platform, defaultChannel: channel },
  }),
  capawesome: (key, { version, device, platform, channel, id }) => ({
    path:
      `/compat/capawesome/v1/apps/${key}/bundles/latest?appVersionCode=1&appVersionName=${version}&bundleId=${id}` +
      `&channelName=${channel}&deviceId=${device}&osVersion=17&platform=${platform}&pluginVersion=7`,
  }),
  codepush: (key, { version, device, id }) => ({
    path:
      `/compat/codepush/v0.1/public/codepush/update_check?deployment_key=${key}&app_version=${version}` +
      `&package_hash=${id}&label=&&&client_unique_id=${device}`,
  }),
  'hot-updater': (key, { version, platform, channel, id, device }) => ({
    path: `/compat/hot-updater/${key}/app-version/${platform}/${version}/${channel}/${id}/${id}/${device}`,
  }),
  'native-update': (key, { version, platform, channel }) => ({
    path: `/compat/native-update/${key}/check?version=${version}&platform=${platform}&channel=${channel}`,
  }),
};

it.each(Object.entries(PLANES))('%s: answers as the router does, whatever a device says', async (_, ask) => {
  const { key, restricted, quick, routed } = planes;
  const keys = fc.constantFrom(
    key,
    key,
    `${key}-staging`,
    `${key}-nowhere`,
    restricted,
    `${key}x`,
    'svc_app_none',
    'x',
  );
  const different = new Set<string>();
  await fc.assert(
    fc.asyncProperty(keys, said, async (text, each) => {
      const asked = ask(text, each);
      const heard = await answer(quick.address, asked);
      different.add(`${heard.status} ${heard.body}`);
      expect(heard).toEqual(await answer(routed.address, asked));
    }),
    { numRuns: 150 },
  );
  expect(different.size).toBeGreaterThan(2);
});
