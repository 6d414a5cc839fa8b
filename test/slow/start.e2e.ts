import { eventually, temporaryDirectory } from '@sluice/testing';
import { startMongoServer } from '@sluice/testing/mongo-server';
import { launchProcess, type StartingProcess } from '../support/process';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly address?: string;
  readonly reason?: string;
}

describe('a start', () => {
  let folder: string;
  let starting: StartingProcess | undefined;

  const launch = (env: Readonly<Record<string, string>>): StartingProcess => {
    const settings = { DATA_DIR: folder, MASTER_KEY: 'ab'.repeat(32), ...env };
    return (starting = launchProcess('standalone', settings));
  };
  /** Rejects a line that is no JSON. */
  const lines = () => (starting?.log ?? []).map((line) => JSON.parse(line) as Line);
  const lineOf = (text: string): Promise<Line> =>
    eventually(() => lines().find(({ msg }) => msg.includes(text)) ?? false);

  beforeEach(() => {
    folder = temporaryDirectory();
  });
  afterEach(() => starting?.stop('SIGKILL'));

  it('logs as JSON that it waits for MongoDB, and ends once MongoDB is there', async () => {
    const mongo = await startMongoServer();
    mongo.isPrimary = false;
    const { ready } = launch({ STATE_STORE_URL: mongo.url });
    expect(await lineOf('Waiting for')).toMatchObject({
      ...{ level: 'warn', msg: 'Waiting for MongoDB', context: 'DocumentStore' },
      ...{ address: `127.0.0.1:${mongo.port}`, reason: 'no primary was found yet' },
    });
    mongo.isPrimary = true;
    const server = await ready;
    expect((await fetch(`${server.address}/health/ready`)).status).toBe(200);
    await server.stop();
    await mongo.close();
  });

  it.each([
    ['NATS', { BUS_URL: 'nats://127.0.0.1:1' }],
    ['the object store', { OBJECT_STORE_URL: 'minio://key:hunter2@127.0.0.1:1/bucket' }],
    ['MongoDB', { STATE_STORE_URL: 'mongodb://user:hunter2@127.0.0.1:1/state' }],
  ])('logs as JSON that it waits for %s, without the password', async (engine, env) => {
    launch(env);
    expect(await lineOf('Waiting for')).toMatchObject({
      ...{ level: 'warn', msg: `Waiting for ${engine}`, address: '127.0.0.1:1' },
      reason: expect.stringMatching(/REFUSED/),
    });
    expect(starting!.log.join('')).not.toContain('hunter2');
  });

  it('that fails logs the reason as JSON, whatever LOG_LEVEL is', async () => {
    await expect(launch({ LOG_LEVEL: 'silent', PORT: 'x' }).ready).rejects.toThrow('ended with 1');
    expect(lines()).toMatchObject([{ level: 'fatal', msg: expect.stringMatching(/^Sluice can not start\. .*PORT/s) }]);
  });
});
