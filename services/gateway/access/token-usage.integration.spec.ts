import { join } from 'node:path';
import type { TokenUse as Use } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import { TokenUse } from './token-usage';

let folder: string;
let store: DocumentStore;
let now: string;
let sent: Use[][];
let away: boolean;
const logger = recordingLogger();

const gateway = () =>
  new TokenUse(
    store,
    {
      request: (_call, body) => {
        if (away) return Promise.reject(new Error('away'));
        sent.push((body as { readonly uses: Use[] }).uses);
        return Promise.resolve({} as never);
      },
    },
    { now: () => new Date(now), monotonic: () => 0 },
    logger,
  );

beforeEach(async () => {
  folder = temporaryDirectory();
  store = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
  sent = [];
  away = false;
  logger.lines.length = 0;
});

afterEach(() => store.close());

it('sends the last use of each token, and nothing of those never used', async () => {
  const use = gateway();
  now = '2026-01-01T00:00:00.000Z';
  use.used(1);
  use.used(2);
  now = '2026-01-01T00:00:01.000Z';
  use.used(2);
  await use.onApplicationShutdown();
  expect(sent).toEqual([
    [
      { id: 1, usedAt: '2026-01-01T00:00:00.000Z' },
      { id: 2, usedAt: '2026-01-01T00:00:01.000Z' },
    ],
  ]);
});

it('sends nothing while no token is used', async () => {
  const use = gateway();
  await use.write();
  await use.onApplicationShutdown();
  expect(sent).toEqual([]);
});

it('keeps what could not be sent for the next time', async () => {
  away = true;
  const use = gateway();
  now = '2026-01-01T00:00:00.000Z';
  use.used(1);
  await use.write();
  expect(logger.messages).toEqual(['The use of access tokens could not be written']);
  away = false;
  await use.onApplicationShutdown();
  expect(sent).toEqual([[{ id: 1, usedAt: now }]]);
});

it('leaves what can not be sent at its end to another gateway, and takes back no later use', async () => {
  const [stopped, next] = [gateway(), gateway()];
  away = true;
  now = '2026-01-01T00:00:00.000Z';
  stopped.used(1);
  stopped.used(2);
  await stopped.onApplicationShutdown();
  away = false;
  now = '2026-01-01T00:00:04.000Z';
  next.used(2);
  await next.onApplicationShutdown();
  expect(sent.flat().sort((a, b) => a.id - b.id)).toEqual([
    { id: 1, usedAt: '2026-01-01T00:00:00.000Z' },
    { id: 2, usedAt: now },
  ]);
});
