import { createCipheriv, createDecipheriv } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';

/** 32 bytes for one stream and no other, and what the stream is bound to: it opens under the same text alone. */
export interface StreamSeal {
  readonly key: Buffer;
  readonly boundTo: string;
}

const CIPHER = 'aes-256-gcm';
const PIECE_BYTES = 64 * 1024;
const TAG_BYTES = 16;

/**
 * Seals bytes with AES-256-GCM in pieces of 64 KiB, each with a tag of its own. The nonce is the
 * number of the piece and whether it is the last: none can be altered, moved, left out or put behind.
 */
export function sealing({ key, boundTo }: StreamSeal): Transform {
  return inPieces(PIECE_BYTES, (bytes, nonce) => {
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(boundTo));
    return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  });
}

/**
 * Gives back what `sealing` was given, piece by piece, each only once it is verified. What was altered
 * or cut off ends the stream with an error before the first byte that was touched.
 */
export function opening({ key, boundTo }: StreamSeal): Transform {
  return inPieces(PIECE_BYTES + TAG_BYTES, (bytes, nonce) => {
    if (bytes.length < TAG_BYTES) throw new Error(`The sealed bytes of ${boundTo} are cut off.`);
    try {
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(boundTo))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
    } catch (cause) {
      throw new Error(`The sealed bytes of ${boundTo} were altered, or their key is another one.`, { cause });
    }
  });
}

/** How many bytes `sealing` makes of so many. */
export function sealedSize(bytes: number): number {
  return bytes + TAG_BYTES * Math.max(1, Math.ceil(bytes / PIECE_BYTES));
}

function inPieces(size: number, convert: (piece: Buffer, nonce: Buffer) => Buffer): Transform {
  let held = Buffer.alloc(0);
  let number = 0;
  const next = (piece: Buffer, isLast: boolean): Buffer => {
    const nonce = Buffer.alloc(12);
    nonce.writeUIntBE(number, 5, 6);
    nonce.writeUInt8(isLast ? 1 : 0, 11);
    number += 1;
    return convert(piece, nonce);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      held = Buffer.concat([held, chunk]);
      attempt(done, () => {
        // The last piece is known as such at the end alone.
        for (; held.length > size; held = held.subarray(size)) this.push(next(held.subarray(0, size), false));
      });
    },
    flush(done) {
      attempt(done, () => this.push(next(held, true)));
    },
  });
}

function attempt(done: TransformCallback, work: () => void): void {
  try {
    work();
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}
