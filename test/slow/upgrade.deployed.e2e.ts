import { join } from 'node:path';
import { createCommandHandling } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { installation, INSTALLATION_STREAM, KNOWN_FORMAT } from '@sluice/service-host';
import { newCommandId, systemClock } from '@sluice/kernel';
import { temporaryDirectory } from '@sluice/testing';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call } from '../support/http';
import { launchProcess, sluice } from '../support/process';

const DASHBOARD = '/api/dashboard/v1';

onEachDeployment('the upgrade, $name', (kind) => {
  let deployment: Deployment;

  const as = (key: string) => ({ Authorization: `Bearer ${key}` });
  const onEachGateway = async (path: string, init: RequestInit = {}) => {
    const owner = as(await deployment.ownerKey());
    return Promise.all(
      deployment.gateways.map((address) => call(`${address}${DASHBOARD}${path}`, { headers: owner, ...init })),
    );
  };

  beforeAll(async () => {
    deployment = await kind.deploy();
  }, 180_000);
  afterAll(() => deployment.destroy(), 60_000);

  it('of a fresh installation is finished, and finishing it again changes nothing', async () => {
    const finished = { format: KNOWN_FORMAT, known_format: KNOWN_FORMAT, finished: true, blocked_by: [] };
    for (const { status, body } of await onEachGateway('/upgrade')) {
      expect([status, body]).toEqual([200, { data: finished }]);
    }
    const again = await sluice(['upgrade', 'finish', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      DATA_DIR: deployment.dataDir,
    });
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { format: KNOWN_FORMAT }]);
  }, 60_000);

  it('is for the operator alone', async () => {
    const gateway = deployment.gateways[0]!;
    const owner = { ...as(await deployment.ownerKey()), 'Content-Type': 'application/json' };
    const made = await call<{ data: { owner_key: string } }>(`${gateway}${DASHBOARD}/owners`, {
      ...{ method: 'POST', headers: owner, body: JSON.stringify({ name: 'Ann' }) },
    });
    const headers = as(made.body.data.owner_key);
    for (const [method, path] of [
      ['GET', '/upgrade'],
      ['POST', '/upgrade/finish'],
    ] as const) {
      const { status, body } = await call(`${gateway}${DASHBOARD}${path}`, { method, headers });
      expect([status, body]).toMatchObject([403, { error: { code: 'OPERATOR_ONLY' } }]);
    }
  });
});

it('a release does not start on an installation with a newer format', async () => {
  const folder = temporaryDirectory();
  const store = await openSqliteEventStore({ path: join(folder, 'events.db') });
  const commands = createCommandHandling({ store, clock: systemClock });
  const context = { commandId: newCommandId(), actor: 'owner:1' };
  await commands.handle(installation, INSTALLATION_STREAM, { format: KNOWN_FORMAT + 1, replicas: [] }, context);
  await store.close();
  await expect(launchProcess('standalone', { DATA_DIR: folder }).ready).rejects.toThrow(
    `Sluice can not start. This installation has format ${KNOWN_FORMAT + 1}; release`,
  );
});
