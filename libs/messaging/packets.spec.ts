import { anyCharacter } from '@sluice/testing/any-character';
import fc from 'fast-check';
import { packBody, packPacket, packReply, readReplyPart, unpackReply } from './packets';
import { MAX_PACKET_BYTES, PacketTooLargeError } from './port';

describe('Packets', () => {
  const noise = Array.from({ length: 150_000 }, () => Math.random());

  it('give every reply back as it was, whatever its size', async () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc
        .tuple(fc.string({ minLength: 1, unit: anyCharacter }), fc.integer({ min: 1, max: 200_000 }))
        .map(([unit, length]) => unit.repeat(Math.ceil(length / unit.length))),
    );
    await fc.assert(
      fc.asyncProperty(value, async (reply) => {
        const parts = await packReply(reply);
        const sent = JSON.parse(JSON.stringify(parts)) as unknown[];
        expect(await unpackReply(sent.map(readReplyPart))).toBe(JSON.stringify(reply));
      }),
      { numRuns: 50 },
    );
  }, 30_000);

  it('never exceed the limit, however large the reply', async () => {
    const parts = await packReply(noise);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      const packet = { id: 'x'.repeat(21), response: part, isDisposed: true };
      expect(Buffer.byteLength(packPacket('contract.noise', packet))).toBeLessThanOrEqual(MAX_PACKET_BYTES);
    }
    expect(await unpackReply(parts)).toBe(JSON.stringify(noise));
  });

  it('refuse a reply of which a part is missing, doubled or out of order', async () => {
    const parts = await packReply(noise);
    const [first, second, ...rest] = parts;
    for (const broken of [[], parts.slice(1), parts.slice(0, -1), [second, first, ...rest], [first, first, ...rest]]) {
      await expect(unpackReply(broken.map(readReplyPart))).rejects.toThrow(Error);
    }
  });

  it('reject a body that leaves no room for its envelope', () => {
    expect(() => packBody('a.b', 'x'.repeat(MAX_PACKET_BYTES - 2))).toThrow(PacketTooLargeError);
    expect(packBody('a.b', 'x'.repeat(MAX_PACKET_BYTES - 2_000))).toHaveLength(MAX_PACKET_BYTES - 1_998);
  });
});
