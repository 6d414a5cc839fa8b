import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { readSettings, SettingsError } from '@sluice/config';
import type { JsonObject } from '@sluice/kernel';
import { temporaryDirectory } from '@sluice/testing';
import { natsServerBinary, startNatsServer, type NatsServer } from '@sluice/testing/nats-server';
import { openEngines, type Engines } from './open-engines';

Logger.overrideLogger(false);

(natsServerBinary() === undefined ? describe.skip : describe)('the bus of an installation (needs nats-server)', () => {
  let folder: string;
  let nats: NatsServer;
  const opened: Engines[] = [];

  const open = async (installation: string, env: Readonly<Record<string, string>> = {}) => {
    const settings = { DATA_DIR: join(folder, installation), BUS_URL: nats.url, ...env };
    const engines = await openEngines(readSettings(settings), 'test');
    opened.push(engines);
    return engines.messaging;
  };

  beforeAll(async () => {
    folder = temporaryDirectory();
    nats = await startNatsServer();
  });
  afterAll(async () => {
    for (const engines of opened) await engines.close();
    await nats.stop();
  });

  it('is apart from others on the same NATS by BUS_NAMESPACE', async () => {
    const blue = await open('blue', { BUS_NAMESPACE: 'blue' });
    expect(await blue.product!()).toMatch(/^NATS \d+\.\d+/);
    const alsoBlue = await open('blue', { BUS_NAMESPACE: 'blue' });
    const others = [await open('green', { BUS_NAMESPACE: 'green' }), await open('unnamed')];
    const heard: JsonObject[] = [];
    for (const other of others) other.listen('news', (body) => heard.push(body));
    const own = new Promise<JsonObject>((resolve) => alsoBlue.listen('news', resolve));
    for (const messaging of [...others, alsoBlue]) await messaging.ping();

    blue.announce('news', { from: 'blue' });
    expect(await own).toEqual({ from: 'blue' });
    // What was published before it has arrived.
    for (const other of others) await other.ping();
    expect(heard).toEqual([]);
  });

  it.each(['/nowhere/ca.pem', 'package.json'])(
    'is not opened with a BUS_CA_FILE that holds no certificate: %s',
    async (file) => {
      const opening = open('blue', { BUS_CA_FILE: file });
      await expect(opening).rejects.toThrow(SettingsError);
      await expect(opening).rejects.toThrow(/^The setting BUS_CA_FILE must name a readable file/);
    },
  );
});
