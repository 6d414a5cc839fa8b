import { readFile } from 'node:fs/promises';
import { createHash, createVerify } from 'node:crypto';
import { RsaThread } from './rsa-thread';

jest.setTimeout(60_000);

const threads: RsaThread[] = [];
const thread = (): RsaThread => {
  const started = new RsaThread();
  threads.push(started);
  return started;
};

afterEach(() => Promise.all(threads.splice(0).map((each) => each.close())));

it('leaves the threads of the file system free while it makes keys', async () => {
  const generator = thread();
  let made = 0;
  const keys = Array.from({ length: 5 }, () =>
    generator.run('generate', { bits: 3072 }).then(() => {
      made += 1;
    }),
  );
  await keys[0];
  // In libuv's pool four of them would take every thread of it, and none of these would be read meanwhile.
  for (let read = 0; read < 20; read += 1) await readFile(__filename);
  expect(made).toBeLessThan(5);
  await Promise.all(keys);
});

it('signs on one thread while another makes a key', async () => {
  const [generator, signer] = [thread(), thread()];
  const { publicKey, privateKey } = await generator.run('generate', { bits: 2048 });
  let isMade = false;
  const slow = Promise.all(Array.from({ length: 3 }, () => generator.run('generate', { bits: 3072 }))).then(() => {
    isMade = true;
  });
  const digest = createHash('sha256').update('bundle').digest();
  const [signature] = await signer.run('sign', { digest, keys: [{ privateKey, scheme: 'pkcs1v15' }] });
  expect(isMade).toBe(false);
  expect(createVerify('sha256').update('bundle').verify(publicKey, signature!)).toBe(true);
  await slow;
});

it('reports a failure, and continues with the next task', async () => {
  const signer = thread();
  const broken = { digest: Buffer.alloc(32), keys: [{ privateKey: Buffer.from('x'), scheme: 'pss' as const }] };
  await expect(signer.run('sign', broken)).rejects.toThrow();
  expect((await signer.run('generate', { bits: 2048 })).publicKey).toContain('BEGIN PUBLIC KEY');
});

it('rejects what waits when it is closed, and everything from then on', async () => {
  const signer = thread();
  const waiting = signer.run('generate', { bits: 3072 });
  const closing = signer.close();
  await expect(waiting).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await closing;
  await expect(signer.run('generate', { bits: 2048 })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
