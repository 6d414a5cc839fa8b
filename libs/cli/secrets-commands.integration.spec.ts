import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SEAL_PURPOSES } from '@sluice/contracts';
import { deriveSealKeys } from '@sluice/vault';
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

  it('is rejected for owners other than the operator', async () => {
    server.answer(json(403, { error: { code: 'OPERATOR_ONLY', message: 'no' } }));
    expect(await reseal()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('OPERATOR_ONLY') });
  });
});

describe('secrets derive', () => {
  const server = scriptedServer();
  const masterKey = 'ab'.repeat(32);
  const derive = (service: string, env: Record<string, string>, ...more: string[]) =>
    server.run(['secrets', 'derive', '--service', service, ...more], { env });

  it.each(Object.entries(SEAL_PURPOSES))(
    'prints the keys of %s, and never the master key',
    async (service, purposes) => {
      const expected = deriveSealKeys(Buffer.from(masterKey, 'hex'), purposes);
      const plain = await derive(service, { MASTER_KEY: masterKey });
      expect(plain).toMatchObject({ code: 0, stdout: `SEAL_KEYS=${expected}\n`, stderr: '' });
      const { code, stdout } = await derive(service, { MASTER_KEY: masterKey }, '--json');
      expect([code, JSON.parse(stdout)]).toEqual([0, { service, seal_keys: expected }]);
      expect(plain.stdout + stdout).not.toContain(masterKey);
      expect(server.received).toEqual([]);
    },
  );

  it('takes the master key from DATA_DIR when MASTER_KEY is not set', async () => {
    await writeFile(join(server.folder, 'master.key'), `${masterKey}\n`);
    expect((await derive('registry', { DATA_DIR: server.folder })).stdout).toBe(
      (await derive('registry', { MASTER_KEY: masterKey })).stdout,
    );
  });

  it('names what is missing or malformed, and never what was given', async () => {
    expect(await derive('registry', { DATA_DIR: server.folder })).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: expect.stringContaining('There is no master key: MASTER_KEY is not set'),
    });
    const malformed = await derive('registry', { MASTER_KEY: `${masterKey}0` });
    expect(malformed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('The setting MASTER_KEY') });
    expect(malformed.stderr).not.toContain(masterKey);
    for (const service of ['keys', 'build-pipeline', 'standalone']) {
      expect(await derive(service, { MASTER_KEY: masterKey })).toMatchObject({
        ...{ code: 2, stdout: '' },
        stderr: expect.stringContaining('Allowed choices are gateway, registry, device-updates, merchant-sync'),
      });
    }
  });
});

describe('secrets rotate-data-keys', () => {
  const server = scriptedServer();

  const key = (name: string, ...versions: number[]) => ({
    name,
    versions: versions.map((version) => ({ version, made_at: null })),
    former_kept_seconds: name === 'sessions' ? 605_400 : 2_400,
    consequence: `Consequence of ${name}.`,
  });
  const listed = json(200, { data: { keys: [key('download-url', 1), key('sessions', 2, 1)] } });
  const rotated = json(200, { data: { keys: [key('sessions', 3, 2, 1)], ended_sessions: 4 } });
  const rotate = (...more: string[]) => server.run(['secrets', 'rotate-data-keys', ...more]);

  it('rotates all without a terminal to ask on', async () => {
    server.answer(rotated);
    const { code, stdout } = await rotate('--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { keys: [{ name: 'sessions' }], ended_sessions: 4 }]);
    expect(server.received.map(({ line, body }) => [line, JSON.parse(body.toString()) as unknown])).toEqual([
      ['POST /api/dashboard/v1/secrets/data-keys/rotate', {}],
    ]);
  });

  it('lists the consequences on a terminal, and rotates those named once they are confirmed', async () => {
    server.answer(listed, rotated);
    const args = ['secrets', 'rotate-data-keys', '--name', 'sessions', '--end-sessions'];
    const { code, stdout, stderr } = await server.run(args, { isTTY: true, answers: ['y'] });
    expect(code).toBe(0);
    expect(stdout).toContain('version 3');
    expect(stderr).toContain('sessions (held: version 2, 1; a former version is kept for 8 days): Consequence of');
    expect(stderr).toContain('All sessions of owners end immediately.');
    expect(stderr).not.toContain('download-url');
    expect(JSON.parse(server.received[1]!.body.toString())).toEqual({ names: ['sessions'], end_sessions: true });
  });

  it.each([
    [
      { ended_by_rotation: { pins: 12 } },
      'pins of devices: 12, chosen channels: 0 (those that expire later), device groups: 0 (',
    ],
    [
      { ended_by_rotation: { pins: 1, groups: 2, chosen_channels: 3 } },
      'pins of devices: 1, chosen channels: 3 (those that expire later), device groups: 2 (',
    ],
    [{ ended_by_rotation: null }, 'How many pins, groups and chosen channels end could not be counted.'],
    [{}, 'How many pins, groups and chosen channels end could not be counted.'],
  ])('lists how many pins, groups and chosen channels end: %j', async (ended, said) => {
    server.answer(json(200, { data: { keys: [key('device-id', 1), key('sessions', 1)], ...ended } }));
    const args = ['secrets', 'rotate-data-keys', '--name'];
    expect((await server.run([...args, 'device-id'], { isTTY: true, answers: [''] })).stderr).toContain(said);
    expect((await server.run([...args, 'sessions'], { isTTY: true, answers: [''] })).stderr).not.toContain(said);
  });

  it('changes nothing that is not confirmed', async () => {
    server.answer(listed);
    const { code, stderr } = await server.run(['secrets', 'rotate-data-keys'], { isTTY: true, answers: [''] });
    expect([code, stderr]).toEqual([1, expect.stringContaining('NOT_CONFIRMED')]);
    expect(server.received.map(({ line }) => line)).toEqual(['GET /api/dashboard/v1/secrets/data-keys']);
  });

  it('rejects a name that is no data key', async () => {
    expect(await rotate('--name', 'master')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('download-url'),
    });
    expect(server.received).toEqual([]);
  });
});
