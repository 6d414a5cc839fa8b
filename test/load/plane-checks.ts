import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileIndexKey } from '@sluice/contracts';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';
import { buildFacts, withFiles } from '../support/device-plane';
import { launchProcess } from '../support/process';
import { zipOf } from '../support/zip';
import { bench, onServerCore } from './bench';
import { objectKeyOf, versionOf, writeHistory } from './history';
import { compareWithBare } from './side-by-side';

const BUILDS = 200;
/** Rollouts of the newest builds, the newest first. */
const OFFERED = [10, 50, 100];
/** Devices that check again and again: what a plane infers from a check, it reports once for each of them. Even. */
const FLEET = 5_000;
const RUNTIME_VERSION = '1.0.0';
/** Of an Expo export: a manifest of about 20 kB. */
const ASSETS = 50;
const EMBEDDED_ID = '01930000-0000-7000-8000-000000000000';

/** The protocol of other update clients. */
interface Plane {
  readonly fingerprint?: string;
  /** Files of the bundle of each build that is offered. */
  readonly files?: (build: number) => Readonly<Record<string, string>>;
  /** The whole check of the nth device. */
  readonly request: (n: number, apiKey: string) => string;
  /** Whether this is the body that it deserves. */
  readonly isRight: (n: number, body: string) => boolean;
}

const deviceOf = (n: number): string => `7f9c24e8-0000-4000-8000-${String(n).padStart(12, '0')}`;
const bundleIdOf = (build: number): string => `01930000-0000-7000-8000-${String(build).padStart(12, '0')}`;
/** Every second device of a fleet runs the newest version already. */
const isUpToDate = (n: number): boolean => (n & 1) === 1;
const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: updates', ...headers].join('\r\n') + '\r\n\r\n';

const PLANES: Readonly<Record<string, Plane>> = {
  capgo: {
    request(n, apiKey) {
      const body = JSON.stringify({
        ...{ platform: 'ios', device_id: deviceOf(n), app_id: 'com.example.app' },
        ...{ custom_id: '', version_build: '1.0.0', version_code: '7', version_os: '17.4', plugin_version: '8.51.23' },
        ...{ version_name: isUpToDate(n) ? versionOf(BUILDS) : 'builtin', is_emulator: false, is_prod: true },
        ...{ install_source: 'app_store', defaultChannel: '' },
      });
      const head = `POST /compat/capgo/${apiKey}/updates HTTP/1.1\r\nHost: updates\r\nContent-Type: application/json\r\n`;
      return `${head}User-Agent: CapacitorUpdater/8.51.23 (com.example.app) ios/17.4\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    },
    isRight(n, body) {
      const { version, kind } = JSON.parse(body) as { readonly version?: string; readonly kind?: string };
      return isUpToDate(n) ? kind === 'up_to_date' : version !== undefined && kind === undefined;
    },
  },
  capawesome: {
    // A device that is up to date gets a 404, without a body that could be compared.
    request: (n, apiKey) =>
      get(
        `/compat/capawesome/v1/apps/${apiKey}/bundles/latest?appVersionCode=7&appVersionName=1.0.0&deviceId=${deviceOf(n)}` +
          '&osVersion=17.4&platform=1&pluginVersion=7.2.0&channelName=production',
      ),
    isRight: (_n, body) => body.includes('"artifactType":"zip"'),
  },
  codepush: {
    files: (build) => ({ 'CodePush/main.jsbundle': `Bundle ${build}` }),
    request(n, apiKey) {
      const hash = 'ab'.repeat(32);
      const running = isUpToDate(n) ? `&package_hash=${hash}&label=v400-${versionOf(BUILDS)}` : '&&';
      const query = `deployment_key=${apiKey}&app_version=1.0.0${running}&client_unique_id=${deviceOf(n)}`;
      return get(
        `/compat/codepush/v0.1/public/codepush/update_check?${query}`,
        ...['Accept: application/json', 'Content-Type: application/json'],
        ...['X-CodePush-Plugin-Name: react-native-code-push', 'X-CodePush-Plugin-Version: 9.0.1'],
        'X-CodePush-SDK-Version: 4.2.3',
      );
    },
    isRight(n, body) {
      const { update_info: info } = JSON.parse(body) as { readonly update_info: Record<string, unknown> };
      return isUpToDate(n)
        ? info['is_available'] === false
        : info['package_hash'] !== '' && info['is_available'] === true;
    },
  },
  expo: {
    fingerprint: RUNTIME_VERSION,
    files(build) {
      const assets = Array.from({ length: ASSETS }, (_, n) => ({ path: `assets/${n}`, ext: 'png' }));
      const metadata = { version: 0, bundler: 'metro', fileMetadata: { ios: { bundle: 'index.hbc', assets } } };
      return {
        ...{ 'metadata.json': JSON.stringify(metadata), 'index.hbc': `Bundle ${build}` },
        ...Object.fromEntries(assets.map(({ path }) => [path, `${path} of ${build}`])),
      };
    },
    request: (n, apiKey) =>
      get(
        `/compat/expo/${apiKey}`,
        ...['Accept: multipart/mixed,application/expo+json,application/json', 'Expo-Protocol-Version: 1'],
        ...['Expo-API-Version: 1', 'Expo-Updates-Environment: BARE', 'Expo-JSON-Error: true', 'Expo-Platform: ios'],
        ...[`Expo-Runtime-Version: ${RUNTIME_VERSION}`, `EAS-Client-ID: ${deviceOf(n)}`],
        ...['Expo-Embedded-Update-ID: 0e0e0e0e-0000-4000-8000-00000000000e', 'expo-channel-name: production'],
      ),
    // A device that is up to date gets a response without a body, which costs less.
    isRight: (_n, body) => body.includes('"launchAsset":{"hash":'),
  },
  'hot-updater': {
    files: (build) => ({ 'manifest.json': JSON.stringify({ bundleId: bundleIdOf(build) }), 'index.js': `${build}` }),
    request: (n, apiKey) =>
      get(
        `/compat/hot-updater/${apiKey}/app-version/ios/1.0.0/production/${EMBEDDED_ID}/` +
          `${isUpToDate(n) ? bundleIdOf(BUILDS) : EMBEDDED_ID}/${1 + (n % 1_000)}`,
        'Content-Type: application/json',
      ),
    isRight: (n, body) => (isUpToDate(n) ? body === 'null' : body.includes('"status":"UPDATE"')),
  },
  'native-update': {
    // As for Capawesome.
    request: (_n, apiKey) =>
      get(
        `/compat/native-update/${apiKey}/check?version=1.0.0&platform=ios&channel=production`,
        'X-App-Version: 1.0.0',
      ),
    isRight: (_n, body) => body.includes('"available":true'),
  },
};

/**
 * Update checks of other update clients per second, compared with a bare `node:http` server that reads the same requests and
 * sends the same bytes.
 */
async function compare(name: string, { fingerprint, files, request, isRight }: Plane): Promise<void> {
  await bench(`${name} checks`, async ({ folder, say, judge }) => {
    const history = { builds: BUILDS, rollouts: OFFERED, apps: 1, channels: ['production'] as const };
    const { apiKey } = await writeHistory(folder, { ...history, ...(fingerprint !== undefined && { fingerprint }) });
    if (files !== undefined) await storeFiles(folder, files);
    const limits = { LIMIT_DEVICE_PER_MINUTE: '1000000000', LIMIT_ADDRESS_PER_MINUTE: '1000000000' };
    const server = await onServerCore(() => launchProcess('standalone', { ...limits, DATA_DIR: folder })).ready;
    try {
      const questions = {
        request: (n: number) => request(Math.abs(n) % FLEET, apiKey),
        check: (n: number, body: string): void => {
          if (!isRight(Math.abs(n) % FLEET, body)) throw new Error(`Question ${n} was answered with ${body}`);
        },
      };
      say(`${BUILDS} builds in the channel, the newest three at 10, 50 and 100%; a fleet of ${FLEET} devices`);
      const samples = [questions.request(-2), questions.request(-1)];
      const { rate } = await compareWithBare({ say }, { ...server, pid: server.child.pid! }, questions, samples);
      judge('rate, of bare', rate, '', { atLeast: 0.6 });
    } finally {
      await server.stop();
    }
  });
}

/** Of the newest builds, which are offered. The others, which a device might name, have no files. */
async function storeFiles(folder: string, files: NonNullable<Plane['files']>): Promise<void> {
  const objects = await openFilesystemObjectStore({ path: join(folder, 'objects') });
  for (let build = 1; build <= BUILDS - OFFERED.length; build += 1) {
    await objects.put(fileIndexKey(objectKeyOf(build)), Readable.from([Buffer.from('{"files":[]}')]));
  }
  for (let build = BUILDS - OFFERED.length + 1; build <= BUILDS; build += 1) {
    const facts = { ...buildFacts(build, versionOf(build)), objectKey: objectKeyOf(build) };
    await withFiles(objects, facts, await zipOf({ ...files(build) }));
  }
  await objects.close();
}

async function main(): Promise<void> {
  const [only] = process.argv.slice(2);
  const chosen = Object.entries(PLANES).filter(([name]) => only === undefined || name === only);
  if (chosen.length === 0) throw new Error(`There is no "${only}": choose one of ${Object.keys(PLANES).join(', ')}.`);
  for (const [name, plane] of chosen) await compare(name, plane);
}

void main();
