import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { SEAL_PURPOSES } from '@sluice/contracts';
import { deployServices, type Deployment } from '../support/deployment';
import { natsServerBinary, startNatsServer, type NatsServer } from '@sluice/testing/nats-server';
import { sluice, startProcess } from '../support/process';

jest.setTimeout(180_000);

const suite = natsServerBinary() === undefined ? describe.skip : describe;

suite('services without the master key (needs nats-server on the PATH)', () => {
  let nats: NatsServer;
  let deployment: Deployment;

  beforeAll(async () => {
    nats = await startNatsServer();
    deployment = await deployServices({ BUS_URL: nats.url });
  });

  afterAll(async () => {
    await deployment.destroy();
    await nats.stop();
  }, 60_000);

  const derived = async (service: string, masterKey = deployment.env['MASTER_KEY'] ?? '') => {
    const env = { MASTER_KEY: masterKey, DATA_DIR: deployment.dataDir };
    const { code, stdout } = await sluice(['secrets', 'derive', '--service', service, '--json'], env);
    expect(code).toBe(0);
    return (JSON.parse(stdout) as { seal_keys: string }).seal_keys;
  };
  /** A further replica, which stops again; else its log. */
  const started = async (service: string, sealKeys: string): Promise<string> => {
    const env = { ...deployment.env, MASTER_KEY: '', SEAL_KEYS: sealKeys };
    return startProcess(service, env).then(
      async (process) => {
        await process.stop();
        return 'started';
      },
      (error: unknown) => {
        expect(String(error)).not.toMatch(/[0-9a-f]{64}/);
        return String(error);
      },
    );
  };
  const asOwner = async (path: string, headers: Record<string, string>, body: object) => {
    const response = await fetch(`${deployment.gateways[0]!}/api/dashboard/v1${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, cookies: response.headers.getSetCookie(), text: await response.text() };
  };

  it('run with the keys that the command derives, of which none leads to the master key', async () => {
    for (const { name, child } of deployment.processes.filter(({ name }) => name in SEAL_PURPOSES)) {
      const environment = await readFile(`/proc/${child.pid}/environ`, 'utf8').catch(() => undefined);
      if (environment === undefined) continue;
      const settings = environment.split('\0');
      expect(settings).toContain(`SEAL_KEYS=${await derived(name)}`);
      expect(settings.filter((setting) => /^MASTER_KEY=./.test(setting))).toEqual([]);
    }
    for (const service of Object.keys(SEAL_PURPOSES)) {
      expect([service, await started(service, await derived(service))]).toEqual([service, 'started']);
    }
  });

  it('open what they sealed: a token that a repeated request shows again, and a session', async () => {
    const Authorization = `Bearer ${await deployment.ownerKey()}`;
    const create = () => asOwner('/tokens', { Authorization, 'Idempotency-Key': 'once' }, { name: 'ci' });
    const [first, repeated] = [await create(), await create()];
    expect([first.status, repeated.text]).toEqual([201, first.text]);
    const login = await asOwner('/session', {}, { owner_key: await deployment.ownerKey() });
    const Cookie = login.cookies[0]!.split(';', 1)[0]!;
    const session = await fetch(`${deployment.gateways[0]!}/api/dashboard/v1/session`, { headers: { Cookie } });
    expect(session.status).toBe(200);
    const { stdout } = await sluice(['secrets', 'reseal', '--json'], {
      ...{
        SLUICE_SERVER: deployment.gateways[0]!,
        DATA_DIR: deployment.dataDir,
        OWNER_KEY: await deployment.ownerKey(),
      },
    });
    expect(JSON.parse(stdout)).toEqual({ resealed: 0, remaining: 0, failed: [] });
  });

  it('do not start with the keys of another service, of another installation, or with keys that were changed', async () => {
    expect(await started('registry', await derived('gateway'))).toMatch(
      /The setting SEAL_KEYS has no key for shown. Derive it again: sluice secrets derive --service registry/,
    );
    const foreign = await derived('registry', randomBytes(32).toString('hex'));
    expect(await started('registry', foreign)).toMatch(/The setting SEAL_KEYS does not derive from the master key/);
    const changed = (await derived('registry')).replace(/(shown=.*?)[0-9a-f],/, '$1x,');
    expect(await started('registry', changed)).toMatch(/The setting SEAL_KEYS is incomplete or was changed/);
    expect(await started('keys', await derived('registry'))).toMatch(/SEAL_KEYS does not suffice for keys/);
  });
});
