const MEMBER_BYTES = 8;

/** Some devices: 64 bits of a hash of each, ascending, each once. 8 bytes for a device, in memory and stored. */
export class PackedGroup {
  private constructor(private readonly members: BigUint64Array) {}

  /** Sorts the members that it is given. */
  static of(members: BigUint64Array): PackedGroup {
    members.sort();
    let size = 0;
    for (const member of members) {
      if (size === 0 || members[size - 1] !== member) members[size++] = member;
    }
    return new PackedGroup(size === members.length ? members : members.slice(0, size));
  }

  /** @throws Error for bytes that are no group */
  static from(bytes: ArrayBuffer): PackedGroup {
    if (bytes.byteLength % MEMBER_BYTES !== 0) throw new Error('The group is cut off.');
    const members = new BigUint64Array(bytes);
    let before = -1n;
    for (const member of members) {
      if (member <= before) throw new Error('The group is not sorted.');
      before = member;
    }
    return new PackedGroup(members);
  }

  get size(): number {
    return this.members.length;
  }

  has(member: bigint): boolean {
    return this.indexOf(member) !== undefined;
  }

  /** The same one where it has none of them. */
  without(others: readonly bigint[]): PackedGroup {
    const gone = new Set(others.filter((member) => this.has(member)));
    return gone.size === 0 ? this : new PackedGroup(this.members.filter((member) => !gone.has(member)));
  }

  bytes(): Buffer {
    const { buffer, byteOffset, byteLength } = this.members;
    return Buffer.from(buffer, byteOffset, byteLength);
  }

  private indexOf(member: bigint): number | undefined {
    let low = 0;
    let high = this.members.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.members[middle] ?? 0n;
      if (found === member) return middle;
      if (found < member) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }
}

/** What a packed group has of a device, given a hash of at least 64 bits in base64url. */
export function memberOf(hash: string): bigint {
  return Buffer.from(hash, 'base64url').readBigUInt64BE(0);
}
