import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { opening, sealedSize, sealing } from './sealed-stream';

const key = randomBytes(32);
const seal = { key, boundTo: 'keystores/1' };
const PIECE = 64 * 1024;

/** In chunks of odd sizes, as a network brings them. */
function inChunks(bytes: Buffer): Readable {
  const chunks: Buffer[] = [];
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 50_021) {
    chunks.push(bytes.subarray(at, at + size));
  }
  return Readable.from(chunks);
}

const sealed = (bytes: Buffer) => buffer(inChunks(bytes).pipe(sealing(seal)));
const opened = (bytes: Buffer, by = seal) => buffer(inChunks(bytes).pipe(opening(by)));

it.each([0, 1, 22, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 5])('gives back %i bytes', async (size) => {
  const plain = randomBytes(size);
  const cipher = await sealed(plain);
  expect(cipher.length).toBe(sealedSize(size));
  expect((await opened(cipher)).equals(plain)).toBe(true);
});

it.each([
  ['one bit', (bytes: Buffer) => bytes.with(100_000, bytes[100_000]! ^ 1)],
  ['one bit of the last tag', (bytes: Buffer) => bytes.with(bytes.length - 1, bytes.at(-1)! ^ 1)],
  ['the last byte cut off', (bytes: Buffer) => bytes.subarray(0, -1)],
  ['the last piece cut off', (bytes: Buffer) => bytes.subarray(0, 2 * (PIECE + 16))],
  ['everything cut off', () => Buffer.alloc(0)],
  ['a byte behind', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(1)])],
  ['a piece behind', (bytes: Buffer) => Buffer.concat([bytes, bytes.subarray(0, PIECE + 16)])],
  [
    'two pieces exchanged',
    (bytes: Buffer) =>
      Buffer.concat([
        ...[bytes.subarray(PIECE + 16, 2 * (PIECE + 16)), bytes.subarray(0, PIECE + 16)],
        bytes.subarray(2 * (PIECE + 16)),
      ]),
  ],
])('never ends well with %s', async (_, alter) => {
  await expect(opened(Buffer.from(alter(await sealed(randomBytes(2 * PIECE + 9)))))).rejects.toThrow(/altered|cut off/);
});

it('gives what was verified, and nothing of what was altered', async () => {
  const plain = randomBytes(2 * PIECE + 9);
  const cipher = await sealed(plain);
  cipher[PIECE + 16 + 5]! ^= 1;
  const got: Buffer[] = [];
  const stream = inChunks(cipher).pipe(opening(seal));
  const ended = new Promise<string>((resolve) => {
    stream.on('data', (chunk: Buffer) => got.push(chunk));
    stream.on('end', () => resolve('end'));
    stream.on('error', () => resolve('error'));
  });
  expect(await ended).toBe('error');
  expect(Buffer.concat(got).equals(plain.subarray(0, PIECE))).toBe(true);
});

it('opens under its own key and place alone', async () => {
  const cipher = await sealed(Buffer.from('secret'));
  await expect(opened(cipher, { ...seal, boundTo: 'keystores/2' })).rejects.toThrow('altered');
  await expect(opened(cipher, { ...seal, key: randomBytes(32) })).rejects.toThrow('altered');
});
