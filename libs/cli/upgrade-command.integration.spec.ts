import { json, scriptedServer } from '../../test/support/scripted-server';

describe('upgrade finish', () => {
  const server = scriptedServer();
  const done = json(200, { data: { format: 1 } });
  const lines = () => server.received.map(({ line }) => line);
  const finish = 'POST /api/dashboard/v1/upgrade/finish';

  it('finishes the upgrade with the owner key where no person can be asked', async () => {
    server.answer(done);
    const { code, stdout, stderr } = await server.run(['upgrade', 'finish', '--json']);
    expect([code, JSON.parse(stdout), stderr]).toEqual([0, { format: 1 }, '']);
    expect(server.received).toMatchObject([{ line: finish, headers: { authorization: 'Bearer svc_own_secret' } }]);
  });

  it('asks on a terminal, and changes nothing that is not confirmed', async () => {
    server.answer(done);
    const declined = await server.run(['upgrade', 'finish'], { isTTY: true, answers: [''] });
    expect(declined).toMatchObject({ code: 1, stderr: expect.stringContaining('NOT_CONFIRMED') });
    expect(lines()).toEqual([]);
    const confirmed = await server.run(['upgrade', 'finish'], { isTTY: true, answers: ['y'] });
    expect(confirmed).toMatchObject({ code: 0, stdout: expect.stringContaining('installation format') });
    expect((await server.run(['upgrade', 'finish', '--yes'], { isTTY: true })).code).toBe(0);
    expect(lines()).toEqual([finish, finish]);
  });

  it('names the replicas that block it', async () => {
    const replicas = [{ service: 'device-updates', name: '01ARZ3NDEKTSV4RRFFQ69G5FAV', release: null, format: null }];
    const message = 'These do not: device-updates (01ARZ3NDEKTSV4RRFFQ69G5FAV).';
    server.answer(json(409, { error: { code: 'UPGRADE_BLOCKED', message, details: { replicas } } }));
    expect(await server.run(['upgrade', 'finish'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message),
    });
    const { stderr } = await server.run(['upgrade', 'finish', '--json']);
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'UPGRADE_BLOCKED', message, details: { replicas } } });
  });
});
