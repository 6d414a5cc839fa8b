import { json, scriptedServer } from '../../test/support/scripted-server';

describe('secrets reseal', () => {
  const server = scriptedServer();

  const part = (resealed: number, remaining: number | null, next: string | null = null, failed: string[] = []) =>
    json(200, { data: { resealed, remaining, next, failed } });
  const reseal = (...more: string[]) => server.run(['secrets', 'reseal', ...more]);
  const bodies = () => server.received.map(({ body }) => JSON.parse(body.toString()) as unknown);

  it('asks for part after part until nothing remains, and sums them up', async () => {
    server.answer(part(40, null, 'b'), part(50, null, 'm'), part(10, 0));
    const { code, stdout, stderr } = await reseal('--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ resealed: 100, remaining: 0, failed: [] });
    expect(bodies()).toEqual([{}, { after: 'b' }, { after: 'm' }]);
    expect(server.received[0]).toMatchObject({
      line: 'POST /api/dashboard/v1/secrets/reseal',
      headers: { authorization: 'Bearer svc_own_secret' },
    });
  });

  it('goes round again for what others sealed behind it', async () => {
    server.answer(part(5, 1), part(1, 0));
    expect(await reseal()).toMatchObject({ code: 0, stderr: expect.stringContaining('MASTER_KEY_PREVIOUS can go') });
    expect(bodies()).toEqual([{}, {}]);
  });

  it('ends when a round gets nowhere, and names what failed', async () => {
    server.answer(
      part(7, null, 'x', ['a']),
      part(0, 5, null, ['y']),
      part(0, null, 'x', ['a']),
      part(0, 5, null, ['y']),
    );
    const { code, stdout, stderr } = await reseal('--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ resealed: 7, remaining: 5, failed: ['a', 'y'] });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'SECRETS_REMAIN' } });
    expect(server.received).toHaveLength(4);
  });

  it('is refused to whoever is not the operator', async () => {
    server.answer(json(403, { error: { code: 'OPERATOR_ONLY', message: 'no' } }));
    expect(await reseal()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('OPERATOR_ONLY') });
  });
});
