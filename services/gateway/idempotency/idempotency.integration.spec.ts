import { join } from 'node:path';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import { hashBody, Idempotency } from './idempotency';

let folder: string;
let store: DocumentStore;
let now: number;
let opened: Idempotency[];

/** As a gateway process has it. */
function gateway(): Idempotency {
  const clock = { now: () => new Date(now), monotonic: () => now };
  const idempotency = new Idempotency(
    store,
    clock,
    recordingLogger((line) => expect(line).toBeUndefined()),
  );
  opened.push(idempotency);
  return idempotency;
}

const refusal = (code: string) => expect.objectContaining({ code }) as Error;
const inProgress = refusal('IDEMPOTENCY_IN_PROGRESS');
const reused = refusal('IDEMPOTENCY_KEY_REUSED');

beforeEach(async () => {
  folder = temporaryDirectory();
  store = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
  now = Date.parse('2026-01-01T00:00:00Z');
  opened = [];
}, 20_000);

afterEach(async () => {
  for (const idempotency of opened) await idempotency.stop();
  await store.close();
});

it('lets no request begin while the first runs, and each with the same body afterwards', async () => {
  const first = await gateway().begin('c');
  await expect(gateway().begin('c')).rejects.toEqual(inProgress);
  await first.bind('a');
  await first.end(201);
  const again = await gateway().begin('c');
  await again.bind('a');
  await again.end(201);
  const other = await gateway().begin('c');
  await expect(other.bind('b')).rejects.toEqual(reused);
  await other.end(422);
  await expect((await gateway().begin('c')).bind('b')).rejects.toEqual(reused);
});

it('forgets a body that was refused, and remembers one whose effect is unknown', async () => {
  const refused = await gateway().begin('c');
  await refused.bind('a');
  await refused.end(409);
  const unknown = await gateway().begin('c');
  await unknown.bind('b');
  await unknown.end(503);
  const other = await gateway().begin('c');
  await expect(other.bind('a')).rejects.toEqual(reused);
  await other.end(422);
});

it('takes over from a process that died, once it has watched for a lease, and keeps its body', async () => {
  const dead = await gateway().begin('c');
  await dead.bind('a');
  dead.abandon();
  const next = gateway();
  now += Idempotency.leaseMs;
  await expect(next.begin('c')).rejects.toEqual(inProgress);
  now += Idempotency.leaseMs;
  const successor = await next.begin('c');
  await expect(successor.bind('b')).rejects.toEqual(reused);
  await expect(dead.bind('a')).rejects.toEqual(inProgress);
  await successor.end(422);
});

it('forgets a day after the first, however often it was repeated', async () => {
  const hour = 60 * 60 * 1_000;
  for (let repeat = 0; repeat < 3; repeat += 1) {
    const run = await gateway().begin('c');
    await run.bind('a');
    await run.end(201);
    now += 8 * hour - 1;
  }
  const other = await gateway().begin('c');
  await expect(other.bind('b')).rejects.toEqual(reused);
  await other.end(422);
  now += 3;
  const later = await gateway().begin('c');
  await later.bind('b');
  await later.end(201);
});

it('hashes equal bodies alike', () => {
  expect(hashBody({ a: 1, b: [{ c: 2, d: 3 }] })).toBe(hashBody({ b: [{ d: 3, c: 2 }], a: 1 }));
  expect(hashBody([1, 2])).not.toBe(hashBody([2, 1]));
});
