import { setTimeout as delay } from 'node:timers/promises';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, management } from '../support/http';
import { sluice } from '../support/process';

onEachDeployment('the use of tokens, $name', (kind) => {
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await kind.deploy();
  }, 180_000);

  afterAll(() => deployment.destroy(), 60_000);

  it('is shown to the token and to its owner, on every gateway, and for no unused token', async () => {
    const make = async (): Promise<{ id: number; token: string }> => {
      const args = ['token', 'create', '--name', 'ci', '--all-apps', '--json'];
      const env = { SLUICE_SERVER: deployment.gateways[0]!, DATA_DIR: deployment.dataDir };
      return JSON.parse((await sluice(args, env)).stdout) as { id: number; token: string };
    };
    const [used, unused] = [await make(), await make()];
    const headers = { Authorization: `Bearer ${await deployment.ownerKey()}` };
    const listed = async (address: string, id: number) => {
      const { body } = await call<{ data: { id: number; last_used_at: string | null }[] }>(
        `${address}/api/dashboard/v1/tokens`,
        { headers },
      );
      return body.data.find((token) => token.id === id)?.last_used_at;
    };

    const before = new Date().toISOString();
    expect((await management(deployment.gateways[0]!, used.token).get('/token')).body.data['last_used_at']).toBeNull();
    const after = new Date().toISOString();
    for (const address of deployment.gateways) {
      let at = await listed(address, used.id);
      for (let wait = 0; wait < 200 && at === null; wait += 1) {
        await delay(100);
        at = await listed(address, used.id);
      }
      expect(at! >= before && at! <= after).toBe(true);
      expect(await listed(address, unused.id)).toBeNull();
      const told = await management(address, used.token).get('/token');
      expect(Date.parse(told.body.data['last_used_at'] as string)).toBeGreaterThanOrEqual(Date.parse(before));
    }
  }, 60_000);
});
