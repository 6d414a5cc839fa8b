import { createHash } from 'node:crypto';
import { asn1, pki } from 'node-forge';
import type { SigningKey } from './domain/signing-key';

/** An app that is in the stores carries the certificate, and clients reject one that has expired. */
const VALID_YEARS = 20;
/** sha256WithRSAEncryption */
const ALGORITHM = '1.2.840.113549.1.1.11';

/** Missing in the types of the library. */
const { getTBSCertificate } = pki as typeof pki & {
  readonly getTBSCertificate: (certificate: pki.Certificate) => asn1.Asn1;
};

/** A certificate that waits for its signature: RSA, PKCS#1 v1.5, SHA-256. */
export interface UnsignedCertificate {
  /** SHA-256 of the bytes to sign. */
  readonly digest: Buffer;
  readonly validFrom: Date;
  readonly validUntil: Date;
  /** The certificate, as PEM. */
  signedBy(signature: Uint8Array): string;
}

/**
 * The self-signed certificate of a key, for signing code. It depends on the key alone, so that it is the same whenever it
 * is made.
 */
export function unsignedCertificate({
  id,
  appId,
  publicKey,
  fingerprint,
  createdAt,
}: Pick<SigningKey, 'id' | 'appId' | 'publicKey' | 'fingerprint' | 'createdAt'>): UnsignedCertificate {
  // A certificate has no fractions of a second.
  const validFrom = new Date(Math.floor(Date.parse(createdAt) / 1_000) * 1_000);
  const validUntil = new Date(validFrom);
  validUntil.setUTCFullYear(validUntil.getUTCFullYear() + VALID_YEARS);
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(publicKey);
  // A positive integer.
  certificate.serialNumber = `01${fingerprint.slice(0, 30)}`;
  certificate.validity = { notBefore: validFrom, notAfter: validUntil };
  const name = [{ name: 'commonName', value: `Sluice, app ${appId}, signing key ${id}` }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([
    { name: 'keyUsage', critical: true, digitalSignature: true },
    { name: 'extKeyUsage', critical: true, codeSigning: true },
  ]);
  certificate.signatureOid = ALGORITHM;
  certificate.siginfo.algorithmOid = ALGORITHM;
  const toSign = asn1.toDer(getTBSCertificate(certificate)).getBytes();
  return {
    ...{ validFrom, validUntil },
    digest: createHash('sha256').update(toSign, 'latin1').digest(),
    signedBy: (signature) => {
      certificate.signature = Buffer.from(signature).toString('latin1');
      return pki.certificateToPem(certificate).replaceAll('\r\n', '\n');
    },
  };
}
