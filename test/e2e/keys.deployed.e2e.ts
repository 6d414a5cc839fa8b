import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, checkUpdate, management } from '../support/http';
import { sluice } from '../support/process';

interface Refused {
  readonly error: { readonly code: string; readonly details?: Record<string, unknown> };
}

jest.setTimeout(60_000);

onEachDeployment('app API keys, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  let deployment: Deployment;
  let token: string;

  const gateway = () => deployment.gateways[0]!;
  const api = () => management(gateway(), token);
  const keysPath = '/apps/com.example.shop/api-keys';
  const remove = (path: string, by = token) =>
    call<Refused & { data: unknown }>(`${gateway()}/api/public/v1${path}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${by}` },
    });

  async function newToken(...permissions: string[]): Promise<string> {
    const options = permissions.flatMap((permission) => ['--permission', permission]);
    const { stdout } = await sluice(['token', 'create', '--name', 'ci', '--all-apps', ...options, '--json'], {
      SLUICE_SERVER: gateway(),
      DATA_DIR: deployment.dataDir,
    });
    return (JSON.parse(stdout) as { token: string }).token;
  }

  async function newKey(): Promise<{ id: number; plaintext_key: string }> {
    const { body } = await api().post<{ data: { id: number; plaintext_key: string } }>(keysPath, { name: 'installs' });
    return body.data;
  }

  /** The first check of every device process after the answer. */
  const outcomes = async (key: string) => {
    const answers = await Promise.all(deployment.devices.map((address) => checkUpdate(address, key, 'd', '1.0.0')));
    return [...new Set(answers.map(({ status }) => status))];
  };

  beforeAll(async () => {
    if (!kind.available) return;
    deployment = await kind.deploy();
    token = await newToken('keys.delete');
    await api().post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
  }, 180_000);

  afterAll(async () => {
    if (kind.available) await deployment.destroy();
  });

  run('rotates, reveals and deletes: each counts from the first check after its answer', async () => {
    const { id, plaintext_key: first } = await newKey();
    expect(await outcomes(first)).toEqual([200]);

    const { status, body } = await api().post<{ data: { plaintext_key: string } }>(`${keysPath}/${id}/rotate`);
    expect({ status, data: body.data }).toEqual({
      status: 200,
      data: { id, name: 'installs', status: 'active', plaintext_key: expect.stringMatching(/^svc_app_/) },
    });
    const second = body.data.plaintext_key;
    expect(await outcomes(first)).toEqual([401]);
    expect(await outcomes(second)).toEqual([200]);
    expect((await api().post(`${keysPath}/${id}/reveal`)).body).toEqual({ data: { id, plaintext_key: second } });

    expect((await api().post(`${keysPath}/${id}/deprecate`)).body.data).toMatchObject({
      status: 'deprecated',
      rotated_at: expect.any(String),
    });
    expect(await outcomes(second)).toEqual([200]);

    const refused = await remove(`${keysPath}/${id}`, await newToken());
    expect({ status: refused.status, error: refused.body.error }).toMatchObject({
      status: 403,
      error: { code: 'TOKEN_PERMISSION_DENIED', details: { required_permission: 'keys.delete' } },
    });
    expect(await remove(`${keysPath}/${id}`)).toMatchObject({ status: 200, body: { data: { deleted: true, id } } });
    expect(await outcomes(second)).toEqual([401]);
    for (const answer of [await remove(`${keysPath}/${id}`), await api().get<Refused>(`${keysPath}/${id}`)]) {
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'KEY_NOT_FOUND' } } });
    }
  });

  run('keeps a revoked key revoked', async () => {
    const { id, plaintext_key } = await newKey();
    await api().post(`${keysPath}/${id}/revoke`);
    expect(await outcomes(plaintext_key)).toEqual([401]);
    for (const verb of ['rotate', 'reveal']) {
      const refused = await api().post<Refused>(`${keysPath}/${id}/${verb}`);
      expect(refused).toMatchObject({ status: 409, body: { error: { code: 'KEY_REVOKED' } } });
    }
    expect((await api().post(`${keysPath}/${id}/deprecate`)).body.data).toMatchObject({ status: 'revoked' });
  });

  run('restricts who may use a key, and frees it again', async () => {
    const { id, plaintext_key } = await newKey();
    const restrictions = { origins: ['https://*.example.com'], ios: [{ bundle_id: 'com.example.shop' }] };
    const restricted = await api().patch(`${keysPath}/${id}/restrictions`, restrictions);
    expect(restricted).toMatchObject({ status: 200, body: { data: { restrictions, unrestricted: false } } });
    expect(await outcomes(plaintext_key)).toEqual([403]);

    const cleared = await api().patch(`${keysPath}/${id}/restrictions`, {});
    expect(cleared).toMatchObject({ status: 200, body: { data: { restrictions: {}, unrestricted: true } } });
    expect(await outcomes(plaintext_key)).toEqual([200]);
  });

  run('keeps the restrictions of a key when the body of the change was lost', async () => {
    const { id, plaintext_key } = await newKey();
    const path = `${keysPath}/${id}/restrictions`;
    await api().patch(path, { origins: ['https://example.com'] });
    for (const body of [undefined, null, []]) {
      const refused = await api().patch<{ errors: { body: string[] } }>(path, body);
      expect([refused.status, refused.body.errors.body[0]]).toEqual([422, expect.stringContaining('{}')]);
    }
    expect(await outcomes(plaintext_key)).toEqual([403]);
  });

  run('takes origins exact or as https wildcards, of http local ones alone, and lets in just these', async () => {
    const { id, plaintext_key } = await newKey();
    const restrict = <Body>(origins: string[]) => api().patch<Body>(`${keysPath}/${id}/restrictions`, { origins });

    const wrong = ['http://example.com', 'https://*', 'http://*.example.com', 'https://a.*.example.com', 'https://x/y'];
    const refused = await restrict<{ errors: object }>(['https://example.com', ...wrong]);
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([
      422,
      wrong.map((_, index) => `origins.${index + 1}`),
    ]);

    const origins = ['https://shop.example.com:8443', 'https://*.example.org', 'http://localhost:8100'];
    expect(await restrict(origins)).toMatchObject({ status: 200, body: { data: { restrictions: { origins } } } });
    for (const [origin, status] of [
      ...[...origins.filter((allowed) => !allowed.includes('*')), 'https://a.b.example.org'].map((o) => [o, 200]),
      ...['http://shop.example.com:8443', 'https://shop.example.com', 'https://localhost:8100'].map((o) => [o, 403]),
      ...['https://example.org', 'http://a.example.org', 'https://a.example.org:444'].map((o) => [o, 403]),
    ] as [string, number][]) {
      for (const address of deployment.devices) {
        const answer = await fetch(`${address}/api/v1/updates/check?channel=production`, {
          headers: {
            ...{ Origin: origin, 'X-API-Key': plaintext_key, 'X-Device-ID': 'd' },
            ...{ 'X-Current-Version': '1.0.0', 'X-Platform': 'ios' },
          },
        });
        expect([origin, answer.status]).toEqual([origin, status]);
      }
    }
  });
});
