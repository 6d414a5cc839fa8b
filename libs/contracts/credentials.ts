import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The families of bearer secrets: access tokens, app API keys, owner keys. */
export type CredentialFamily = 'svc_pat_' | 'svc_app_' | 'svc_own_';

/** Hexadecimal characters after the prefix. */
const HEX_LENGTH: Readonly<Record<CredentialFamily, number>> = { svc_pat_: 64, svc_app_: 48, svc_own_: 64 };

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}

/** A fresh random secret: prefix, hex, `_`, CRC-32 of all before it. */
export function newCredential(family: CredentialFamily): string {
  const body = family + randomBytes(HEX_LENGTH[family] / 2).toString('hex');
  return `${body}_${checksum(body)}`;
}

/** `format`: of another family. `checksum`: of this family, but truncated or mistyped. */
export function credentialFault(family: CredentialFamily, text: string): 'format' | 'checksum' | undefined {
  if (!text.startsWith(family)) return 'format';
  const body = text.slice(0, family.length + HEX_LENGTH[family]);
  const wellFormed = /^[0-9a-f]+$/.test(body.slice(family.length)) && text === `${body}_${checksum(body)}`;
  return wellFormed ? undefined : 'checksum';
}

/** By which a secret is found: lower-case hex SHA-256 of the whole string. */
export function credentialHash(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Prefix, first four, `…` and last four hexadecimal digits. */
export function credentialPreview(family: CredentialFamily, text: string): string {
  const hex = text.slice(family.length, family.length + HEX_LENGTH[family]);
  return `${family}${hex.slice(0, 4)}…${hex.slice(-4)}`;
}
