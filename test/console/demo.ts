import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import type { MerchantServer } from '../support/merchant-server';
import { zipOf } from '../support/zip';

/** Of one app: what its channels get, oldest first. */
const RELEASES = [
  { channel: 'production', version: '2.3.0', notes: 'Offline search.' },
  { channel: 'production', version: '2.4.0', notes: 'New checkout, and a lighter start screen.' },
  { channel: 'production', version: '2.5.0', notes: 'Prices are shown in the user’s currency.', rollout: 25 },
  { channel: 'staging', version: '2.5.0', notes: 'Prices are shown in the user’s currency.' },
  { channel: 'staging', version: '2.6.0', notes: 'First candidate of the autumn release.' },
  { channel: 'development', version: '2.7.0', notes: 'Nightly.' },
] as const;

/** As a CI states it. */
function originOf(version: string) {
  const commit = createHash('sha1').update(version).digest('hex');
  const repository = 'https://git.example.com/harbour/shop';
  return {
    ...{ commit, commit_url: `${repository}/commit/${commit}`, repository, run_url: `${repository}/runs/${version}` },
    author: 'Ada Marsh',
  };
}

/** What the server is asked for by the owner; rejects, with what was answered, unless that is a success. */
function asOwner(address: string, ownerKey: string) {
  const send = async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
    const isForm = body instanceof FormData;
    const answer = await fetch(`${address}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${ownerKey}`,
        ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
    return (JSON.parse(text) as { data: Data }).data;
  };
  const base = '/api/dashboard/v1';
  return {
    get: <Data>(path: string) => send<Data>('GET', base + path),
    post: <Data>(path: string, body: unknown = {}) => send<Data>('POST', base + path, body),
    patch: <Data>(path: string, body: unknown) => send<Data>('PATCH', base + path, body),
    put: <Data>(path: string, body: unknown) => send<Data>('PUT', base + path, body),
    listings: <Data>(method: string, path: string, body?: unknown) =>
      send<Data>(method, `/svc/v1/listings-ads${path}`, body),
  };
}

/** Fills an empty installation with what a team has after some weeks; answers the id of the busiest app. */
export async function fillDemo(address: string, ownerKey: string): Promise<number> {
  const owner = asOwner(address, ownerKey);

  const release = async (app: number, channel: string, version: string, more: Readonly<Record<string, string>>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ channel, version, ...more })) form.set(name, value);
    const code = randomBytes(400_000 + randomBytes(2).readUInt16LE() * 10);
    const files = { 'index.html': `<h1>${version}</h1>`, 'app.js': code.toString('base64') };
    form.set('file', new Blob([Uint8Array.from(await zipOf(files))]), `shop-${version}.zip`);
    const { job_id: job, build } = await owner.post<{ job_id: string; build: { id: number } }>(
      `/apps/${app}/builds`,
      form,
    );
    for (;;) {
      const { status, error } = await owner.get<Job>(`/jobs/${job}`);
      if (status === 'failed') throw new Error(`The job of ${version} failed: ${String(error)}`);
      if (status === 'completed') return build.id;
      await pause(50);
    }
  };

  const names = ['Harbour Shop', 'Tideline', 'Lock Keeper', 'Mill Race Radio'];
  const ids: number[] = [];
  for (const [index, name] of names.entries()) {
    const platform = (['both', 'ios', 'android', 'both'] as const)[index];
    const bundle = `com.example.${name.toLowerCase().replaceAll(' ', '')}`;
    const { id } = await owner.post<{ id: number }>('/apps', { name, platform, bundle_id: bundle });
    ids.push(id);
  }
  const [shop = 0, tideline = 0] = ids;

  for (const { channel, version, notes, ...more } of RELEASES) {
    await release(shop, channel, version, {
      release_notes: notes,
      metadata: JSON.stringify({ ...originOf(version), branch: channel === 'production' ? 'main' : channel }),
      ...('rollout' in more && { rollout_percentage: String(more.rollout) }),
    });
  }
  await release(tideline, 'production', '1.0.0', { release_notes: 'The first one.' });

  const key = await owner.post<{ plaintext_key: string }>(`/apps/${shop}/api-keys`, { name: 'Store builds' });
  await owner.post(`/apps/${shop}/api-keys`, { name: 'Web preview' });
  await owner.post(`/apps/${shop}/signing-key`, { name: 'default' });
  const send = { address, key: key.plaintext_key };
  await report({ ...send, name: 'demo-device', channel: 'production' }, 40, ['2.3.0', '2.4.0', '2.4.0', '2.5.0']);
  const testers = { ...send, name: 'tester', channel: 'staging' };
  await report(testers, 12, ['2.6.0']);
  await owner.post(`/apps/${shop}/builds/5/recall`, { reason: 'White screen after the login on Android 9.' });
  await report(testers, 5, ['2.6.1']);

  const steps = [25, 50, 100].map((percentage) => ({ percentage, hold_minutes: 1_440, min_devices: 500 }));
  await owner.put(`/apps/${shop}/builds/3/plan`, { steps });

  const expires = new Date(Date.now() + 30 * 86_400_000).toISOString();
  await audiences(owner, shop, release);

  await owner.post('/tokens', { name: 'CI', all_apps: true, permissions: ['builds.delete'] });
  await owner.post('/tokens', { name: 'Tideline nightly', apps: [tideline], expires_at: expires });
  const { id: former } = await owner.post<{ id: number }>('/tokens', { name: 'Former laptop', all_apps: true });
  await owner.post(`/tokens/${former}/revoke`);
  return shop;
}

type Release = (
  app: number,
  channel: string,
  version: string,
  more: Readonly<Record<string, string>>,
) => Promise<number>;

/** A channel of the app's own with a build for some devices, and previews of pull requests. */
async function audiences(owner: ReturnType<typeof asOwner>, app: number, release: Release): Promise<void> {
  await owner.patch(`/apps/${app}`, { attributes: { os: 'version', plan: 'string' } });
  const group = new FormData();
  group.set('file', new Blob([Array.from({ length: 250 }, (_, number) => `tester-${number}`).join('\n')]), 'beta.txt');
  await owner.post(`/apps/${app}/groups/beta`, group);
  await owner.post(`/apps/${app}/channels`, { name: 'beta' });
  const build = await release(app, 'beta', '2.7.0', {
    ...{ release_notes: 'For testers.', rollout_percentage: '5', native_range: '2.x' },
    ...{ platform: 'ios', audience: JSON.stringify({ attributes: { os: { range: '>=17' } } }) },
  });
  const testers = Array.from({ length: 12 }, (_, number) => `tester-${number}`);
  await owner.patch(`/apps/${app}/builds/${build}/pins`, { add: testers });
  for (const [days, request] of [
    [3, 131],
    [7, 134],
  ] as const) {
    const expires_at = new Date(Date.now() + days * 86_400_000).toISOString();
    await owner.post(`/apps/${app}/channels`, { name: `pr-${request}`, expires_at });
    await release(app, `pr-${request}`, `1000.0.${request}`, { release_notes: `Preview of pull request ${request}.` });
  }
}

interface Sender {
  readonly address: string;
  readonly key: string;
  /** The first part of the ids of its devices. */
  readonly name: string;
  readonly channel: string;
}

/** Devices that ask and report: most install the build that they are offered, and some can't. */
async function report(
  { address, key, name, channel }: Sender,
  devices: number,
  versions: readonly [string, ...string[]],
): Promise<void> {
  for (let number = 0; number < devices; number += 1) {
    const current = versions[number % versions.length] ?? versions[0];
    const headers = {
      ...{ 'X-API-Key': key, 'X-Device-ID': `${name}-${number}`, 'X-Platform': number % 3 === 0 ? 'android' : 'ios' },
      ...{ 'X-App-Version': '2.1.0', 'X-Current-Version': current, 'X-Bundle-Version': current },
    };
    const send = (what: string, body?: object) =>
      fetch(`${address}/api/v1/analytics/${what}`, {
        method: 'POST',
        headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    await send('mau');
    const check = await fetch(`${address}/api/v1/updates/check?channel=${channel}`, { headers });
    const { bundleId } = (await check.json()) as { bundleId?: string };
    if (bundleId === undefined) continue;
    const fails = number % 13 === 1 ? { error: 'The connection was lost.' } : undefined;
    await send('download', { bundle_id: bundleId, status: fails === undefined ? 'complete' : 'failed', ...fails });
    if (fails !== undefined) continue;
    const returns = number % 11 === 4 ? { error: 'TypeError: cart is undefined' } : undefined;
    await send('install', { bundle_id: bundleId, status: returns === undefined ? 'complete' : 'rollback', ...returns });
  }
}

/** Connects the listings module to the loopback remote, and syncs once. */
export async function fillListings(address: string, ownerKey: string, remote: MerchantServer): Promise<void> {
  const owner = asOwner(address, ownerKey);
  await owner.put('/listings', { enabled: true, entitled: true });
  const { authorization_url: url } = await owner.listings<{ authorization_url: string }>('POST', '/connect', {});
  await fetch(await remote.consent(url), { headers: { accept: 'application/json' } });
  await owner.listings('POST', '/sync/now', {});
  await eventually(
    async () => {
      const { running } = await owner.listings<{ running: boolean }>('GET', '/sync/status');
      return !running;
    },
    { everyMs: 100 },
  );
}
