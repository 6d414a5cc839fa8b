import { chmod, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from '@sluice/config';
import { keepsOnDisk } from '@sluice/engines';
import { eventually } from '@sluice/testing';
import { onEachDeployment, sixServices, type Deployment } from '../support/deployment';
import { embeddedIt } from '../support/engines';
import { call, management } from '../support/http';
import { sluice } from '../support/process';

interface Check {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'error';
  readonly message: string;
  readonly remedy: string | null;
}

const errors = (faults: readonly Check[]) => faults.filter(({ status }) => status === 'error');

jest.setTimeout(180_000);

onEachDeployment('sluice doctor, $name', (kind) => {
  let deployment: Deployment;

  const gateway = () => deployment.gateways[0]!;
  const doctor = async (env: Record<string, string> = {}) => {
    const { code, stdout } = await sluice(['doctor', '--json', '--devices', deployment.devices[0]!], {
      SLUICE_SERVER: gateway(),
      DATA_DIR: deployment.dataDir,
      ...env,
    });
    const checks = JSON.parse(stdout) as Check[];
    // How full the disk of this machine is, is not the test's to know.
    return { code, checks, faults: checks.filter(({ check, status }) => check !== 'disk' && status !== 'ok') };
  };

  beforeAll(async () => {
    deployment = await kind.deploy();
    // An engine that is slow while everybody starts on it counts as away until its answer comes.
    const readiness = () => call<{ status: string }>(`${gateway()}/health/ready`);
    await eventually(async () => (await readiness()).body.status === 'ok', { everyMs: 100 });
  }, 180_000);

  afterAll(() => deployment.destroy());

  it('finds nothing wrong with an installation that is well, and asks every service', async () => {
    const { code, checks, faults } = await doctor();
    expect(faults).toEqual([]);
    expect(code).toBe(0);
    expect(new Set(checks.map(({ check }) => check))).toEqual(
      new Set([
        ...['reachable', 'transport', 'clock', 'ready', 'devices', 'owner key', 'services', 'version', 'node'],
        ...['public url', 'engines', 'projections', 'master key', 'proxies', 'key files'],
        ...(keepsOnDisk(readSettings(deployment.env)) ? ['disk', 'data folder'] : []),
      ]),
    );
    const answering = checks.filter(({ check }) => check === 'services').map(({ message }) => message.split(' ')[0]);
    expect(answering).toEqual([
      ...['gateway', 'registry', 'build-pipeline', 'device-updates', 'keys', 'merchant-sync'],
    ]);
    const token = await call<{ data: { token: string } }>(`${gateway()}/api/dashboard/v1/tokens`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await deployment.ownerKey()}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'ci', all_apps: true }),
    });
    const asked = await call(`${gateway()}/api/dashboard/v1/diagnostics`, {
      headers: { Authorization: `Bearer ${token.body.data.token}` },
    });
    expect(asked.status).toBe(401);
  });

  embeddedIt('names an object store that takes no bytes, and keys that others may read', async () => {
    const objects = join(deployment.dataDir, 'objects');
    await rename(objects, `${objects}.away`);
    await writeFile(objects, 'no folder');
    await chmod(join(deployment.dataDir, 'master.key'), 0o640);
    const { code, faults } = await doctor();
    await rename(objects, `${objects}.file`);
    await rename(`${objects}.away`, objects);
    await chmod(join(deployment.dataDir, 'master.key'), 0o600);
    expect(code).toBe(1);
    expect(new Set(errors(faults).map(({ check, status }) => `${check} ${status}`))).toEqual(
      new Set(['engines error', 'key files error']),
    );
    expect(faults.find(({ check }) => check === 'engines')!.message).toContain('object store (file)');
    expect(faults.find(({ check }) => check === 'key files')!.remedy).toContain('chmod 600');
  });

  embeddedIt('warns of a data folder that others can open; the server made it and its databases private', async () => {
    const mode = async (name: string) => ((await stat(join(deployment.dataDir, name))).mode & 0o777).toString(8);
    const databases = (await readdir(deployment.dataDir)).filter((name) => /\.db(-wal|-shm)?$/.test(name));
    expect(databases).toEqual(expect.arrayContaining(['events.db', 'events.db-wal', 'read.db', 'state.db']));
    for (const name of databases) expect([name, await mode(name)]).toEqual([name, '600']);
    await chmod(deployment.dataDir, 0o755);
    const { code, faults } = await doctor();
    await chmod(deployment.dataDir, 0o700);
    expect(code).toBe(0);
    expect(faults).toContainEqual(
      expect.objectContaining({
        check: 'data folder',
        status: 'warning',
        message: expect.stringContaining('(0755)') as string,
      }),
    );
  });

  it('continues without a valid owner key', async () => {
    const token = 'svc_own_none';
    const { code, faults } = await doctor({ OWNER_KEY: token });
    expect(code).toBe(1);
    expect(errors(faults)).toEqual([expect.objectContaining({ check: 'owner key' })]);
    expect(await management(gateway(), token).get('/token')).toMatchObject({ status: 401 });
  });

  it('suspects a proxy when one address makes most of the traffic', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    for (let request = 0; request < 150; request += 1) await call(`${gateway()}/api/public/v1/token`, { headers });
    const { code, faults } = await doctor();
    expect(code).toBe(0);
    expect(faults).toContainEqual(expect.objectContaining({ check: 'proxies', status: 'warning' }));
  });

  if (kind === sixServices) {
    it('names the service that is gone, and reports on the others', async () => {
      const keys = deployment.processes.filter(({ name }) => name === 'keys');
      await Promise.all(keys.map((process) => process.stop('SIGKILL')));
      const { code, faults } = await doctor();
      expect(code).toBe(1);
      expect(faults).toContainEqual(
        expect.objectContaining({ check: 'services', status: 'error', message: 'keys does not respond.' }),
      );
    });
  }
});
