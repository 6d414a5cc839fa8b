import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { newCredential } from '@sluice/contracts';
import { standalone, type Deployment } from '../support/deployment';
import { call, management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

interface Refusal {
  readonly error?: { readonly code: string; readonly details?: object };
  readonly errors?: Record<string, string[]>;
}

describe('what the management plane rejects', () => {
  let deployment: Deployment;
  let address: string;
  let token: string;
  const api = () => management(address, token);

  const makeToken = async (...args: string[]): Promise<{ id: number; token: string }> => {
    const { stdout } = await sluice(['token', 'create', '--name', 'ci', '--json', ...args], {
      SLUICE_SERVER: address,
      DATA_DIR: deployment.dataDir,
    });
    return JSON.parse(stdout) as { id: number; token: string };
  };

  beforeAll(async () => {
    deployment = await standalone.deploy({ MAX_BUNDLE_BYTES: '200000' });
    address = deployment.gateways[0]!;
    ({ token } = await makeToken('--all-apps'));
    expect((await api().post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' })).status).toBe(201);
  }, 30_000);

  afterAll(() => deployment.destroy(), 30_000);

  describe('credentials', () => {
    const get = (headers: Record<string, string>) => call<Refusal>(`${address}/api/public/v1/token`, { headers });

    it.each([
      ['none', () => ({}), 'MISSING_ACCESS_TOKEN'],
      ['another scheme', () => ({ Authorization: 'Basic dXNlcjpwYXNz' }), 'MISSING_ACCESS_TOKEN'],
      ['an app API key', () => bearer(newCredential('svc_app_')), 'INVALID_ACCESS_TOKEN_FORMAT'],
      ['an owner key', () => bearer(newCredential('svc_own_')), 'INVALID_ACCESS_TOKEN_FORMAT'],
      ['a truncated token', () => bearer(newCredential('svc_pat_').slice(0, 40)), 'INVALID_ACCESS_TOKEN_CHECKSUM'],
      ['an unknown token', () => bearer(newCredential('svc_pat_')), 'ACCESS_TOKEN_NOT_FOUND'],
      [
        'an invalid X-Access-Token together with a valid one',
        () => ({ ...bearer(token), 'X-Access-Token': 'x' }),
        'INVALID_ACCESS_TOKEN_FORMAT',
      ],
    ])('rejects %s', async (_, headers, code) => {
      expect(await get(headers())).toMatchObject({ status: 401, body: { error: { code } } });
    });

    it('takes X-Access-Token, whatever Authorization holds', async () => {
      expect(await get({ Authorization: 'Bearer nonsense', 'X-Access-Token': token })).toMatchObject({ status: 200 });
    });

    it.each([
      ['app', '/apps/%', 'APP_NOT_FOUND'],
      ['build', '/apps/com.example.shop/builds/%', 'BUILD_NOT_FOUND'],
      ['key', '/apps/com.example.shop/api-keys/%', 'KEY_NOT_FOUND'],
      ['job', '/jobs/%', 'JOB_NOT_FOUND'],
    ])('asks for a token before it says that there is no %s of an endless name', async (_, path, code) => {
      for (const length of [257, 8_000]) {
        const url = `${address}/api/public/v1${path.replace('%', '1'.repeat(length))}`;
        expect(await call(url)).toMatchObject({ status: 401, body: { error: { code: 'MISSING_ACCESS_TOKEN' } } });
        expect(await call(url, { headers: bearer(token) })).toMatchObject({ status: 404, body: { error: { code } } });
      }
    });

    it('says when a token expired', async () => {
      const expired = await call<{ data: { token: string } }>(`${address}/api/dashboard/v1/tokens`, {
        method: 'POST',
        headers: { ...bearer(await deployment.ownerKey()), 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'old', expires_at: '2020-01-01T00:00:00Z' }),
      });
      expect(expired.status).toBe(201);
      expect(await get(bearer(expired.body.data.token))).toMatchObject({
        status: 401,
        body: {
          error: {
            code: 'ACCESS_TOKEN_INVALID',
            details: { status: 'expired', expires_at: '2020-01-01T00:00:00Z' },
          },
        },
      });
    });

    it('lets no access token make another', async () => {
      const made = await call<Refusal>(`${address}/api/dashboard/v1/tokens`, {
        method: 'POST',
        headers: bearer(token),
      });
      expect(made).toMatchObject({ status: 401, body: { error: { code: 'INVALID_OWNER_KEY' } } });
    });

    it.each([
      ['POST', '/api/health'],
      ['GET', '/api/healthz'],
      ['GET', '/api/health/more'],
    ])('knows no %s %s', async (method, path) => {
      const answer = await fetch(address + path, { method });
      expect(answer.status).toBe(404);
      if (method !== 'HEAD') expect(await answer.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
    });

    it('sends no CORS header and answers no preflight', async () => {
      const answer = await call(`${address}/api/public/v1/token`, {
        method: 'OPTIONS',
        headers: { Origin: 'https://example.com', 'Access-Control-Request-Method': 'GET' },
      });
      expect([404, 405]).toContain(answer.status);
      const simple = await call(`${address}/api/public/v1/token`, {
        headers: { ...bearer(token), Origin: 'https://example.com' },
      });
      for (const { headers } of [answer, simple]) {
        expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    });
  });

  describe('bodies', () => {
    const post = (body: string | Buffer | undefined, type: string | undefined = 'application/json') =>
      call<Refusal>(`${address}/api/public/v1/apps`, {
        method: 'POST',
        headers: { ...bearer(token), ...(type !== '' && { 'Content-Type': type }) },
        ...(body !== undefined && { body }),
      });

    it.each([
      ['malformed JSON', '{"name":', 'application/json', 400, 'INVALID_JSON'],
      [
        'bytes that are not UTF-8',
        Buffer.from('{"name":"caf\xe9"}', 'latin1'),
        'application/json',
        400,
        'INVALID_JSON',
      ],
      ['another type', 'name=x', 'application/x-www-form-urlencoded', 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['a form', '--x--', 'multipart/form-data; boundary=x', 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [
        'more than 1 MiB',
        JSON.stringify({ name: 'x'.repeat(1_100_000) }),
        'application/json',
        413,
        'PAYLOAD_TOO_LARGE',
      ],
      [
        'more than 50,000 values',
        JSON.stringify({ name: 'x', more: Array(50_000).fill(0) }),
        'application/json',
        413,
        'PAYLOAD_TOO_LARGE',
      ],
    ])('rejects %s', async (_, body, type, status, code) => {
      expect(await post(body, type)).toMatchObject({ status, body: { error: { code } } });
    });

    it.each([
      ['nothing', undefined, 'name'],
      ['an array', '[]', 'body'],
      ['a blank name', '{"name":"  "}', 'name'],
      ['a long name', JSON.stringify({ name: 'x'.repeat(256) }), 'name'],
      ['a bundle_id that is none', '{"name":"x","bundle_id":"shop"}', 'bundle_id'],
      ['an unknown platform', '{"name":"x","platform":"web"}', 'platform'],
    ])('names the field of %s', async (_, body, field) => {
      const answer = await post(body, body === undefined ? '' : 'application/json');
      expect(answer.status).toBe(422);
      expect(Object.keys(answer.body.errors ?? {})).toEqual([field]);
    });

    it('ignores members that it does not know', async () => {
      expect((await post('{"name":"Extra","colour":"red","__proto__":{"x":1}}')).status).toBe(201);
    });
  });

  describe('lists', () => {
    it.each(['page=0', 'page=x', 'per_page=51', 'per_page=0', 'page=1.5'])('rejects ?%s', async (query) => {
      expect(await api().get(`/apps?${query}`)).toMatchObject({ status: 422 });
    });

    it.each(['channel=beta', 'status=gone'])('rejects builds?%s', async (query) => {
      expect(await api().get(`/apps/com.example.shop/builds?${query}`)).toMatchObject({ status: 422 });
    });

    it('names every wrong filter of builds in one answer', async () => {
      const { status, body } = await api().get<Refusal>('/apps/com.example.shop/builds?channel=beta&status=gone');
      expect([status, Object.keys(body.errors ?? {}).sort()]).toEqual([422, ['channel', 'status']]);
    });
  });

  describe('addresses', () => {
    it.each([
      ['/apps/999', 'APP_NOT_FOUND'],
      ['/apps/com.example.none/builds', 'APP_NOT_FOUND'],
      ['/apps/com.example.shop/builds/999', 'BUILD_NOT_FOUND'],
      ['/apps/com.example.shop/builds/x', 'BUILD_NOT_FOUND'],
      ['/apps/com.example.shop/api-keys/99999999999999999999', 'KEY_NOT_FOUND'],
      ['/jobs/01ARZ3NDEKTSV4RRFFQ69G5FAV', 'JOB_NOT_FOUND'],
      ['/jobs/nonsense', 'JOB_NOT_FOUND'],
      ['/nothing', 'NOT_FOUND'],
      ['/apps/%zz', 'INVALID_REQUEST'],
    ])('answers %s with %s', async (path, code) => {
      const answer = await api().get<Refusal>(path);
      expect(answer.body.error?.code).toBe(code);
      expect(answer.status).toBe(code === 'INVALID_REQUEST' ? 400 : 404);
    });
  });

  describe('uploads', () => {
    const builds = '/apps/com.example.shop/builds';
    const upload = (file: Uint8Array, fields: Record<string, string>) => api().upload<Refusal>(builds, file, fields);

    it('names every wrong field in one answer, and keeps nothing', async () => {
      const answer = await upload(Buffer.from('just text'), {
        version: '01.0.0',
        channel: 'beta',
        rollout_percentage: '0',
        mandatory: 'maybe',
        signature: 'not base64!',
        min_native_version: 'soon',
        native_range: 'some day',
        fingerprint: 'two words',
        platform: 'windows',
        release_notes: 'x'.repeat(5_001),
      });
      expect(answer.status).toBe(422);
      expect(Object.keys(answer.body.errors ?? {}).sort()).toEqual([
        'channel',
        'file',
        'fingerprint',
        'mandatory',
        'min_native_version',
        'native_range',
        'platform',
        'release_notes',
        'rollout_percentage',
        'signature',
        'version',
      ]);
      expect(await deployment.objects()).toEqual([]);
    });

    it('rejects what no client can decrypt with, and keeps nothing', async () => {
      const fields = { version: '1.0.0', channel: 'staging' };
      for (const [delivery, names] of [
        ['{"capgo":{"session_key":"short","checksum":"none","key_id":""}}', ['checksum', 'key_id', 'session_key']],
        ['{"capgo":{},"other":1}', ['checksum', 'session_key']],
      ] as const) {
        const { status, body } = await upload(Buffer.from('ciphertext'), { ...fields, delivery });
        expect(status).toBe(422);
        const found = Object.keys(body.errors ?? {}).filter((name) => name.startsWith('delivery.capgo.'));
        expect(found.sort()).toEqual(names.map((name) => `delivery.capgo.${name}`));
      }
      const { status, body } = await upload(Buffer.from('ciphertext'), { ...fields, delivery: 'none' });
      expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['delivery']]);
      expect(await deployment.objects()).toEqual([]);
    });

    it.each([
      ['21 pairs', pairsOf(21), 'metadata', 'at most 20 pairs. Received: 21.'],
      ['nested JSON', '{"ci":{"run":7}}', 'metadata.ci', 'Received: an object.'],
      ['a number', '{"run":7}', 'metadata.run', 'Received: 7.'],
      ['a list', '[]', 'metadata', 'Received: a list.'],
      ['what is no JSON', 'commit=4f2a9c1', 'metadata', 'Received: "commit=4f2a9c1".'],
      ['nothing', '', 'metadata', 'must be a JSON object of texts'],
      ['a key with a capital letter', '{"Commit":"x"}', 'metadata.Commit', 'Received: "Commit".'],
      ['a key that is too long', `{"${'k'.repeat(41)}":"x"}`, `metadata.${'k'.repeat(41)}`, '(41 characters)'],
      ['a value that is too long', `{"note":"${'💥'.repeat(501)}"}`, 'metadata.note', '(501 characters)'],
      ['a line break', '{"note":"a\\nb"}', 'metadata.note', 'Received: "a\\nb".'],
      ['a control character of Latin-1', '{"note":"a\\u0085b"}', 'metadata.note', 'without control characters'],
      ['NUL', '{"note":"a\\u0000b"}', 'metadata.note', 'Received: "a\\u0000b".'],
      ['half a surrogate pair', '{"note":"\\ud83d"}', 'metadata.note', 'Received: "\\ud83d".'],
      ['bytes that are not UTF-8', '{"note":"caf\xe9"}', 'metadata.note', 'which replaces bytes that are not UTF-8'],
    ])('rejects metadata of %s, and keeps nothing', async (_, metadata, field, message) => {
      const before = await deployment.objects();
      const part = (name: string, value: string, more = '') =>
        `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
      const value = metadata.includes('\xe9') ? metadata : Buffer.from(metadata).toString('latin1');
      const form = `${part('version', '9.0.0')}${part('channel', 'staging')}${part('metadata', value)}${part('file', 'PK\u0003\u0004', '; filename="b.zip"')}--b--\r\n`;
      const answer = await call<Refusal>(`${address}/api/public/v1${builds}`, {
        method: 'POST',
        headers: { ...bearer(token), 'Content-Type': 'multipart/form-data; boundary=b' },
        body: Buffer.from(form, 'latin1'),
      });
      expect(answer.status).toBe(422);
      expect(answer.body.errors).toEqual({ [field]: [expect.stringContaining(message)] });
      expect(await deployment.objects()).toEqual(before);
      const { data } = (await api().get<{ data: { version: string }[] }>(builds)).body;
      expect(data.map(({ version }) => version)).not.toContain('9.0.0');
    });

    it('rejects a file over the limit, accepts one of exactly the limit, and keeps nothing of the first', async () => {
      const whole = await zipOf({ 'index.html': 'x' });
      const padded = (size: number) => Buffer.concat([whole, Buffer.alloc(size - whole.length)]);
      const fields = { version: '1.0.0', channel: 'staging' };
      expect(await upload(padded(200_001), fields)).toMatchObject({
        status: 413,
        body: { error: { code: 'PAYLOAD_TOO_LARGE' } },
      });
      expect(await deployment.objects()).toEqual([]);
      expect(await upload(padded(200_000), fields)).toMatchObject({ status: 202 });
    });

    it.each([
      ['no file', '', 422],
      ['JSON', '{}', 415],
    ])('rejects %s', async (what, body, status) => {
      const form = new FormData();
      form.set('version', '2.0.0');
      form.set('channel', 'staging');
      const answer = await call(`${address}/api/public/v1${builds}`, {
        method: 'POST',
        headers: { ...bearer(token), ...(what === 'JSON' && { 'Content-Type': 'application/json' }) },
        body: what === 'JSON' ? body : form,
      });
      expect(answer.status).toBe(status);
    });

    it('closes cleanly on a form that stops half way, and keeps nothing', async () => {
      const before = await deployment.objects();
      const socket = connect(Number(new URL(address).port), '127.0.0.1');
      const part = 'Content-Disposition: form-data; name="file"; filename="b.zip"\r\n\r\nPK\x03\x04half';
      const body = `--b\r\n${part}`;
      socket.write(
        `POST /api/public/v1${builds} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
          `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
      const answer = await text(socket);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('INVALID_MULTIPART');
      expect(await deployment.objects()).toEqual(before);
    });

    it('rejects a version that exists, or is not newer', async () => {
      const bundle = await zipOf({ 'index.html': 'x' });
      const accepted = await api().upload(builds, bundle, { version: '3.0.0', channel: 'production' });
      for (;;) {
        const { body } = await api().get<{ data: { status: string } }>(`/jobs/${accepted.body.data.job_id}`);
        if (body.data.status === 'completed') break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(await upload(bundle, { version: '3.0.0', channel: 'production' })).toMatchObject({
        status: 409,
        body: { error: { code: 'VERSION_ALREADY_EXISTS' } },
      });
      expect(await upload(bundle, { version: '2.9.9', channel: 'production' })).toMatchObject({
        status: 422,
        body: { error: { code: 'VERSION_NOT_NEWER' } },
      });
    });
  });

  describe('what is wrong in several ways', () => {
    const shop = '/apps/com.example.shop';
    const builds = `${shop}/builds`;
    const large = JSON.stringify({ name: 'x'.repeat(1_100_000) });
    const json = 'application/json';
    const ask = async (method: string, path: string, body?: string, type = json) => {
      const answer = await call<Refusal>(`${address}/api/public/v1${path}`, {
        method,
        headers: { ...bearer(token), ...(body !== undefined && { 'Content-Type': type }) },
        ...(body !== undefined && { body }),
      });
      return answer.body.error?.code ?? Object.keys(answer.body.errors ?? {})[0];
    };

    it.each([
      ['DELETE', '/apps/no.such.app/builds/999', 'x', 'text/plain', 'APP_NOT_FOUND'],
      ['PATCH', '/apps/no.such.app/builds/999', large, json, 'APP_NOT_FOUND'],
      ['DELETE', `${builds}/999`, undefined, undefined, 'TOKEN_PERMISSION_DENIED'],
      ['DELETE', `${builds}/999`, 'x', 'text/plain', 'TOKEN_PERMISSION_DENIED'],
      ['DELETE', `${shop}/api-keys/999`, large, json, 'TOKEN_PERMISSION_DENIED'],
      ['PATCH', `${builds}/999`, '{"status":"x"}', 'text/plain', 'UNSUPPORTED_MEDIA_TYPE'],
      ['POST', `${shop}/api-keys/999/revoke`, 'x', 'text/plain', 'UNSUPPORTED_MEDIA_TYPE'],
      ['PATCH', `${builds}/999`, large, json, 'PAYLOAD_TOO_LARGE'],
      ['POST', `${shop}/api-keys/999/revoke`, large, json, 'PAYLOAD_TOO_LARGE'],
      ['PATCH', `${builds}/999`, '{"status":"x"}', json, 'status'],
      ['PATCH', `${builds}/x/rollout`, '{}', json, 'rollout_percentage'],
      ['POST', `${builds}/999/promote`, '{"target_channel":"beta"}', json, 'target_channel'],
      ['GET', `${builds}/999?as_of=yesterday`, undefined, undefined, 'as_of'],
      ['PATCH', `${shop}/api-keys/x/restrictions`, '{"origins":["nope"]}', json, 'origins.0'],
      ['PATCH', `${builds}/999`, '{"status":"paused"}', json, 'BUILD_NOT_FOUND'],
      ['PATCH', `${builds}/999/rollout`, '{"rollout_percentage":5}', json, 'BUILD_NOT_FOUND'],
      ['POST', `${builds}/999/promote`, '{"target_channel":"staging"}', json, 'BUILD_NOT_FOUND'],
      ['PATCH', `${shop}/api-keys/999/restrictions`, '{}', json, 'KEY_NOT_FOUND'],
    ])('is refused for what comes first in the order: %s %s', async (method, path, body, type, expected) => {
      expect(await ask(method, path, body, type)).toBe(expected);
    });

    it('reports a file that is too large before an invalid field', async () => {
      const answer = await api().upload<Refusal>(builds, Buffer.alloc(200_001), { version: 'x', channel: 'beta' });
      expect(answer).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
    });
  });

  it('never creates a fourth active API key', async () => {
    for (let index = 0; index < 3; index += 1) {
      expect((await api().post('/apps/com.example.shop/api-keys', { name: `key ${index}` })).status).toBe(201);
    }
    expect(await api().post<Refusal>('/apps/com.example.shop/api-keys', { name: 'one more' })).toMatchObject({
      status: 422,
      body: { error: { code: 'MAX_KEYS_REACHED' } },
    });
  });

  it('kept every secret out of its log', () => {
    const log = deployment.processes.flatMap(({ log: lines }) => lines).join('\n');
    expect(log).not.toMatch(/svc_(pat|app|own)_[0-9a-f]{8}/);
  });
});

function bearer(credential: string): Record<string, string> {
  return { Authorization: `Bearer ${credential}` };
}

function pairsOf(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'x'])));
}
