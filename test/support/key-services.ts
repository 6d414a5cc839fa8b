import { generateKeyPairSync } from 'node:crypto';
import type { ApiKeyUse, signDigest, ReplyOf } from '@sluice/contracts';
import type { JsonObject } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { unsignedCertificate } from '../../services/keys/signing-keys/certificate';
import { signSha256 } from '../../services/keys/signing-keys/digest-signature';

type Signatures = ReplyOf<typeof signDigest>['signatures'];

/** A bus on which the keys service stores uses of API keys: those that `record` resolves with, by default all. */
export function recordingUses(
  record: (uses: ApiKeyUse[]) => Promise<readonly number[]> = (uses) => Promise.resolve(uses.map(({ id }) => id)),
): Pick<Messaging, 'request'> {
  const request = async (_: unknown, { uses }: { uses: ApiKeyUse[] }) => ({ recorded: await record(uses) });
  return { request } as unknown as Pick<Messaging, 'request'>;
}

/** This bus, on which the keys service signs digests as `sign` does. */
export function signing(
  messaging: Messaging,
  sign: (appId: number, digest: string) => Promise<Signatures>,
): Pick<Messaging, 'announce' | 'request'> {
  const request = async (_: unknown, { appId, digest }: { appId: number; digest: string }) => ({
    signatures: await sign(appId, digest),
  });
  return { announce: (topic: string, body: JsonObject) => messaging.announce(topic, body), request } as unknown as Pick<
    Messaging,
    'announce' | 'request'
  >;
}

/** A signing key as the keys service has it, with its certificate. */
export function certifiedKey(id: number, createdAt: string) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const sign = (digest: Buffer) => signSha256(digest, privateKey, 'pkcs1v15');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const unsigned = unsignedCertificate({ id, appId: 1, publicKey: pem, fingerprint: 'f'.repeat(64), createdAt });
  return {
    certificate: { pem: unsigned.signedBy(sign(unsigned.digest)), keyId: String(id) },
    sign: (digest: string) => ({ key_id: id, signature: sign(Buffer.from(digest, 'hex')).toString('base64') }),
  };
}
