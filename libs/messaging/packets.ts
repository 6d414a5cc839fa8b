import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { MAX_PACKET_BYTES, PacketTooLargeError } from './port';

/** Kept free for the envelope of a body: pattern, packet id, numbering. */
const ENVELOPE_BYTES = 1024;
const MAX_BODY_BYTES = MAX_PACKET_BYTES - ENVELOPE_BYTES;
const GZIP_ABOVE_BYTES = 64 * 1024;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const replyPartSchema = z.union([
  z.object({ gzip: z.string(), part: z.int().min(1), parts: z.int().min(1) }),
  z.object({ json: z.string().optional() }),
]);

/** `json` is a whole reply as text (absent: no value); `gzip` is one base64 slice of a large one. */
export type ReplyPart = z.infer<typeof replyPartSchema>;

/**
 * A body as JSON text that fits into one packet, with room for its envelope.
 * @throws PacketTooLargeError
 */
export function packBody(pattern: string, body: unknown): string {
  return serialize(pattern, body ?? null, MAX_BODY_BYTES);
}

/**
 * A whole packet as JSON text.
 * @throws PacketTooLargeError
 */
export function packPacket(pattern: string, packet: object): string {
  return serialize(pattern, packet, MAX_PACKET_BYTES);
}

function serialize(pattern: string, value: unknown, limit: number): string {
  const json = JSON.stringify(value);
  if (exceeds(json, limit)) throw new PacketTooLargeError(pattern, Buffer.byteLength(json));
  return json;
}

/** Whether a text has more bytes in UTF-8: at most three for each of its units, so that few texts are counted. */
function exceeds(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}

/** A part of a reply as it came over the wire. @throws ZodError when it is none */
export function readReplyPart(received: unknown): ReplyPart {
  return replyPartSchema.parse(received);
}

/** A reply as parts of at most MAX_PACKET_BYTES each; above 64 KiB of JSON they are gzipped. */
export function packReply(reply: unknown): readonly ReplyPart[] | Promise<readonly ReplyPart[]> {
  if (reply === undefined) return [{}];
  const json = JSON.stringify(reply);
  return exceeds(json, GZIP_ABOVE_BYTES) ? packLarge(json) : [{ json }];
}

async function packLarge(json: string): Promise<ReplyPart[]> {
  const packed = (await compress(json)).toString('base64');
  const parts = Math.ceil(packed.length / MAX_BODY_BYTES);
  return Array.from({ length: parts }, (_, index) => ({
    gzip: packed.slice(index * MAX_BODY_BYTES, (index + 1) * MAX_BODY_BYTES),
    part: index + 1,
    parts,
  }));
}

/**
 * The JSON text of the reply that packReply took apart, or a promise of it; undefined for no value.
 * @throws Error when a part is missing or out of order
 */
export function unpackReply(parts: readonly ReplyPart[]): string | undefined | Promise<string> {
  const [first] = parts;
  return first === undefined || 'gzip' in first ? unpackLarge(parts) : first.json;
}

async function unpackLarge(parts: readonly ReplyPart[]): Promise<string> {
  const slices = parts.map((part, index) => {
    if (!('gzip' in part) || part.part !== index + 1 || part.parts !== parts.length) {
      throw new Error('A part of the reply is missing.');
    }
    return part.gzip;
  });
  if (slices.length === 0) throw new Error('The reply is empty.');
  return (await decompress(Buffer.from(slices.join(''), 'base64'))).toString();
}
