import { constants, createHash, privateEncrypt, randomBytes, type KeyObject } from 'node:crypto';
import type { SignatureScheme } from './domain/signing-key';

/** DER of a DigestInfo for SHA-256, up to the digest itself (RFC 8017, 9.2). */
const SHA256_DIGEST_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex');
const HASH_BYTES = 32;
const SALT_BYTES = 32;

/**
 * The RSA signature, by a private key, over the bytes that have this SHA-256: what a signature made
 * from the bytes themselves would be. PSS has SHA-256 in its mask too, and a salt of 32 bytes.
 */
export function signSha256(digest: Buffer, key: KeyObject, scheme: SignatureScheme): Buffer {
  if (scheme === 'pkcs1v15') {
    return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.concat([SHA256_DIGEST_INFO, digest]));
  }
  const { modulusLength: bits = 0 } = key.asymmetricKeyDetails ?? {};
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, encodePss(digest, bits));
}

/** EMSA-PSS (RFC 8017, 9.1.1) for a modulus whose bits are a multiple of 8. */
function encodePss(digest: Buffer, modulusBits: number): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const hash = createHash('sha256').update(Buffer.alloc(8)).update(digest).update(salt).digest();
  const block = Buffer.alloc(modulusBits / 8 - HASH_BYTES - 1);
  block[block.length - SALT_BYTES - 1] = 1;
  salt.copy(block, block.length - SALT_BYTES);
  const mask = maskOf(hash, block.length);
  for (const [index, byte] of mask.entries()) block[index] = (block[index] ?? 0) ^ byte;
  // The encoded message is one bit shorter than the modulus.
  block[0] = (block[0] ?? 0) & 0x7f;
  return Buffer.concat([block, hash, Buffer.from([0xbc])]);
}

/** MGF1 with SHA-256 (RFC 8017, B.2.1). */
function maskOf(seed: Buffer, length: number): Buffer {
  const parts: Buffer[] = [];
  for (let counter = 0; counter * HASH_BYTES < length; counter += 1) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(counter);
    parts.push(createHash('sha256').update(seed).update(number).digest());
  }
  return Buffer.concat(parts).subarray(0, length);
}
