import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { memberOf, PackedGroup } from './packed-group';

const member = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const near = fc.bigInt({ min: 0n, max: 20n });
const members = fc.array(fc.oneof(member, near), { maxLength: 60 });
const packed = (all: readonly bigint[]) => PackedGroup.of(BigUint64Array.from(all));
/** As the object store returns it. */
const read = (group: PackedGroup) => PackedGroup.from(new Uint8Array(group.bytes()).buffer);

it('has the members that it was made of, each once, also once it was stored', () => {
  fc.assert(
    fc.property(members, members, (all, others) => {
      const expected = new Set(all);
      for (const group of [packed(all), read(packed(all))]) {
        expect(group.size).toBe(expected.size);
        expect(group.bytes().length).toBe(8 * expected.size);
        for (const one of [...all, ...others]) expect(group.has(one)).toBe(expected.has(one));
      }
    }),
  );
});

it('is the same bytes in whatever order it was made, and however often a member came', () => {
  fc.assert(
    fc.property(members, fc.infiniteStream(fc.nat()), (all, order) => {
      const shuffled = [...all, ...all].map((one) => [order.next().value as number, one] as const);
      shuffled.sort(([left], [right]) => left - right);
      expect(packed(shuffled.map(([, one]) => one)).bytes()).toEqual(packed(all).bytes());
    }),
  );
});

it('loses the members that are erased and no other, and is the same one where it has none of them', () => {
  fc.assert(
    fc.property(members, members, fc.nat(), (all, others, at) => {
      const erased = all.length === 0 ? others : [...others, all[at % all.length]!];
      const left = read(packed(all).without(erased));
      expect(left.bytes()).toEqual(packed(all.filter((one) => !erased.includes(one))).bytes());
      const group = packed(all);
      const absent = others.filter((one) => !all.includes(one));
      expect(group.without(absent)).toBe(group);
    }),
  );
});

it('rejects bytes that are cut off or not in order', () => {
  expect(() => PackedGroup.from(new ArrayBuffer(12))).toThrow('cut off');
  expect(() => PackedGroup.from(BigUint64Array.of(2n, 1n).buffer)).toThrow('not sorted');
  expect(() => PackedGroup.from(BigUint64Array.of(1n, 1n).buffer)).toThrow('not sorted');
  expect(PackedGroup.from(new ArrayBuffer(0)).size).toBe(0);
});

it('takes the first 64 bits of a hash as the member', () => {
  const digest = createHash('sha256').update('device').digest();
  expect(memberOf(digest.toString('base64url', 0, 16))).toBe(digest.readBigUInt64BE(0));
});
