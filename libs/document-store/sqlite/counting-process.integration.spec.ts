import { join } from 'node:path';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import Database from 'libsql';
import { DocumentStoreUnavailableError } from '../port';
import { openCountingProcess, type CountingProcess } from './counting-process';

let folder: string;
let path: string;
let counter: CountingProcess;
const logger = recordingLogger();

beforeEach(() => {
  folder = temporaryDirectory();
  path = join(folder, 'documents.db');
  const file = new Database(path);
  file.exec('CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1), (2), (3)');
  file.close();
  logger.lines.length = 0;
  counter = openCountingProcess({ path, logger });
});
afterEach(() => counter.close());

const sum = () => counter.all({ sql: 'SELECT sum(n) FROM numbers', values: [] });
/** Text that is no UTF-8, on which libsql panics. */
const panic = () => counter.all({ sql: "SELECT CAST(x'FF' AS TEXT)", values: [] });

it('dies of a panic alone: its death is logged, its query rejected, and every other one answered', async () => {
  const outcomes = await Promise.allSettled([sum(), panic(), sum(), panic(), sum()]);
  expect(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as Error))),
  ).toEqual([
    [[6]],
    expect.any(DocumentStoreUnavailableError),
    [[6]],
    expect.any(DocumentStoreUnavailableError),
    [[6]],
  ]);
  expect(logger.messages).toHaveLength(2);
  expect(logger.messages[0]).toContain('SIGABRT');
});

it('returns errors of SQLite, and continues', async () => {
  await expect(counter.all({ sql: 'SELECT * FROM missing', values: [] })).rejects.toThrow('no such table: missing');
  const boolean = { sql: 'SELECT ?', values: [true as unknown as number] };
  await expect(counter.all(boolean)).rejects.toThrow('SQLite takes no boolean');
  expect(await sum()).toEqual([[6]]);
  expect(logger.messages).toEqual([]);
});

it('ends when it is idle, without a log line, and is started again', async () => {
  const resting = openCountingProcess({ path, logger, idleMs: 1 });
  const pid = async () => (await resting.all({ sql: 'SELECT sum(n) FROM numbers', values: [] }))[0];
  for (let n = 0; n < 3; n += 1) {
    expect(await pid()).toEqual([6]);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(logger.messages).toEqual([]);
  await resting.close();
});

it('rejects what still waits when it is closed', async () => {
  const waiting = Promise.allSettled([sum(), sum()]);
  await counter.close();
  expect(await waiting).toMatchObject([
    { reason: { name: 'DocumentStoreUnavailableError' } },
    { reason: { name: 'DocumentStoreUnavailableError' } },
  ]);
  expect(logger.messages).toEqual([]);
});
