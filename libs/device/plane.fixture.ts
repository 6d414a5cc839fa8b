import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { isNewer } from './verifier';

/** A build as the scripted plane serves it. */
export interface ScriptedBuild {
  readonly version: string;
  readonly bundleId: string;
  readonly bytes: Uint8Array;
  readonly sequence: number;
  isActive: boolean;
}

export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Responds to a request in place of the plane, or changes what the plane responds. */
export type Disturbance = (respond: () => Response) => Response | Promise<Response>;

const KEYS = generateKeyPairSync('rsa', {
  // Short, because tests sign thousands of statements.
  modulusLength: 1024,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

const SERVER = 'https://updates.example.com';
const NOW = new Date('2026-03-01T12:00:00.000Z');
const VALIDITY = { issued: '2026-03-01T00:00:00.000Z', expires: '2026-03-08T00:00:00.000Z' };
const CHANNEL = { appId: 1, channel: 'production' };

const signatures = new Map<string, string>();
/** Base64, of any of the plane's keys. */
export function signature(bytes: Uint8Array): string {
  const hash = sha256(bytes);
  const known = signatures.get(hash) ?? sign('sha256', bytes, KEYS.privateKey).toString('base64');
  signatures.set(hash, known);
  return known;
}
export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A device plane in memory that signs as a server does, for tests that choose every response. */
export function scriptedPlane() {
  const builds: ScriptedBuild[] = [];
  const requests: ScriptedRequest[] = [];
  const reports: Record<string, unknown>[] = [];
  let sequence = 0;
  const disturbances: Disturbance[] = [];
  /** The channel that the device has chosen, and what may be chosen. */
  const choice: { channel: string | null; allowed: readonly string[] } = { channel: null, allowed: ['beta'] };

  function statement(name: 'manifest' | 'channelState', facts: object) {
    const channel = choice.channel ?? CHANNEL.channel;
    const text = JSON.stringify({ type: name, ...CHANNEL, channel, ...VALIDITY, ...facts });
    return { [name]: text, [`${name}Signature`]: signature(Buffer.from(text)) };
  }

  function check(currentVersion: string): object {
    const active = builds.filter(({ isActive }) => isActive);
    const versions = Object.fromEntries(active.map((build) => [build.version, build.sequence]));
    const state = statement('channelState', { platform: 'web', sequence, versions });
    const build = active.filter(({ version }) => isNewer(version, currentVersion)).at(-1);
    if (build === undefined) return { available: false, message: 'No updates available', ...state };
    const { version, bundleId, bytes } = build;
    const facts = { version, bundleId, size: bytes.length, sequence: build.sequence };
    const manifest = statement('manifest', { ...facts, platform: 'all', sha256: sha256(bytes), nativeRange: null });
    return {
      ...{ available: true, version, bundleId, downloadUrl: `${SERVER}/bundles/${bundleId}?signature=secret` },
      ...{ checksum: sha256(bytes), signature: null, size: bytes.length, mandatory: false },
      ...{ releaseNotes: null, minNativeVersion: null, expiresAt: VALIDITY.expires, ...manifest, ...state },
    };
  }

  function respondToChoice({ method, body }: ScriptedRequest): Response {
    const channel = String(body?.['channel']);
    if (method === 'POST' && !choice.allowed.includes(channel)) {
      return Response.json({ message: 'The given data was invalid.' }, { status: 422 });
    }
    if (method !== 'GET') choice.channel = method === 'POST' ? channel : null;
    const expiresAt = new Date(NOW.getTime() + 90 * 86_400_000).toISOString();
    return Response.json({ channel: choice.channel, expiresAt: choice.channel === null ? null : expiresAt });
  }

  function respond(request: ScriptedRequest): Response {
    const { path, headers, body } = request;
    if (path === '/api/v1/channel') return respondToChoice(request);
    if (path.includes('/api/v1/updates/check')) return Response.json(check(headers.get('X-Current-Version') ?? ''));
    if (path.startsWith('/api/v1/analytics/')) {
      const kind = path.slice('/api/v1/analytics/'.length);
      reports.push({ kind, ...body, ...(kind === 'mau' && { version: headers.get('X-Bundle-Version') }) });
      return Response.json({ success: true });
    }
    const build = builds.find(({ bundleId }) => path.startsWith(`/bundles/${bundleId}?`));
    if (build === undefined) return Response.json({ error: { code: 'BUILD_NOT_FOUND' } }, { status: 404 });
    const from = Number(/^bytes=(\d+)-$/.exec(headers.get('Range') ?? '')?.[1] ?? 0);
    const range = { 'Content-Range': `bytes ${from}-${build.bytes.length - 1}/${build.bytes.length}` };
    const status = from > 0 ? 206 : 200;
    return new Response(build.bytes.slice(from), { status, headers: status === 206 ? range : {} });
  }

  return {
    ...{ builds, requests, reports, disturbances, choice, now: () => NOW },
    options: {
      ...({ server: SERVER, apiKey: 'svc_app_test', platform: 'web', embeddedVersion: '1.0.0' } as const),
      trust: { keys: [{ publicKey: KEYS.publicKey, scheme: 'pkcs1v15' as const }], appId: CHANNEL.appId },
    },
    /** Later releases have higher versions, if none is given. */
    release: (bytes: Uint8Array, version = `1.${builds.length + 1}.0`): ScriptedBuild => {
      sequence += 1;
      const bundleId = `b681a6c9-6b83-43ff-a10f-${`${builds.length + 1}`.padStart(12, '0')}`;
      const build = { version, bundleId, bytes, sequence, isActive: true };
      builds.push(build);
      return build;
    },
    withdraw: (build: ScriptedBuild): void => {
      sequence += 1;
      build.isActive = false;
    },
    /** Each of `disturbances` takes one request. */
    fetch: (async (input: string, init: RequestInit = {}) => {
      const { pathname, search } = new URL(input);
      const body = typeof init.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : undefined;
      const { method = 'GET' } = init;
      const request = { method, path: `${pathname}${search}`, headers: new Headers(init.headers), body };
      requests.push(request);
      const disturb = disturbances.shift();
      const plain = () => respond(request);
      return await (disturb?.(plain) ?? plain());
    }) as typeof fetch,
  };
}

/** A response of these bytes, in parts, that breaks after so many of them; undefined: it is complete. */
export function inParts(
  bytes: Uint8Array,
  partLength: number,
  init: ResponseInit = {},
  breaksAfter?: number,
): Response {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (breaksAfter !== undefined && at >= breaksAfter) controller.error(new Error('connection reset'));
      else if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, at + partLength));
      at += partLength;
    },
  });
  return new Response(body, init);
}
