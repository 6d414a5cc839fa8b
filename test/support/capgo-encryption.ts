import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  generateKeyPairSync,
  privateEncrypt,
  publicDecrypt,
  randomBytes,
} from 'node:crypto';
import type { CapgoDelivery } from '@sluice/kernel';

export interface CapgoKeys {
  /** PEM, PKCS#1. */
  readonly privateKey: string;
  readonly publicKey: string;
  readonly keyId: string;
}

/** As `npx @capgo/cli key create` makes them. */
export function newCapgoKeys(): CapgoKeys {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const keyId = publicKey.replace(/-----[^-]+-----|\s/g, '').slice(0, 20);
  return { privateKey, publicKey, keyId };
}

const rsa = (key: string) => ({ key, padding: constants.RSA_PKCS1_PADDING });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();

/** Version 2 of Capgo's encryption, as its CLI does it. */
export function encryptForCapgo(zip: Buffer, { privateKey, keyId }: CapgoKeys) {
  const [iv, key] = [randomBytes(16), randomBytes(16)];
  const cipher = createCipheriv('aes-128-cbc', key, iv);
  const delivery = {
    capgo: {
      session_key: `${iv.toString('base64')}:${privateEncrypt(rsa(privateKey), key).toString('base64')}`,
      checksum: privateEncrypt(rsa(privateKey), sha256(zip)).toString('hex'),
      key_id: keyId,
    },
  };
  return { file: Buffer.concat([cipher.update(zip), cipher.final()]), delivery };
}

/** The zip, as a strict client finds it. @throws Error for what it would reject */
export function decryptAsCapgo(
  file: Buffer,
  { session_key, checksum }: Pick<CapgoDelivery, 'session_key' | 'checksum'>,
  { publicKey }: Pick<CapgoKeys, 'publicKey'>,
): Buffer {
  const [iv = '', key = '', ...more] = session_key.split(':');
  if (more.length > 0) throw new Error('The session key has more than two parts.');
  if (!/^[0-9a-f]{512}$/.test(checksum)) throw new Error('The checksum is not 256 bytes in hex.');
  const aes = publicDecrypt(rsa(publicKey), Buffer.from(key, 'base64'));
  const decipher = createDecipheriv('aes-128-cbc', aes, Buffer.from(iv, 'base64'));
  const zip = Buffer.concat([decipher.update(file), decipher.final()]);
  if (!publicDecrypt(rsa(publicKey), Buffer.from(checksum, 'hex')).equals(sha256(zip))) {
    throw new Error('The zip has another checksum.');
  }
  return zip;
}
