import { ValidationError } from './domain-error';

/** What clients of another update service need to decrypt a bundle, in their own form. Left out: it is not encrypted. */
export interface Delivery {
  readonly capgo: CapgoDelivery;
}

/** Version 2 of Capgo's encryption: AES-128-CBC, and RSA with 2048 bits. */
export interface CapgoDelivery {
  /** Base64 of the IV, a colon, and Base64 of the AES key, encrypted with the private key of the app. */
  readonly session_key: string;
  /** SHA-256 of the zip before its encryption, encrypted with the private key of the app. */
  readonly checksum: string;
  /** The beginning of the app's public key, as clients send it; left out: clients of all keys are offered the build. */
  readonly key_id?: string | undefined;
}

/** 256 bytes. */
const RSA_BASE64 = '[A-Za-z0-9+/]{342}==';

export const SESSION_KEY = new RegExp(`^[A-Za-z0-9+/]{22}==:${RSA_BASE64}$`);
export const SESSION_KEY_RULE =
  'The session_key must be Base64 of the 16 bytes of the IV, a colon, and Base64 of the 256 bytes of the encrypted AES key, as the CLI of Capgo prints it.';
export const SEALED_CHECKSUM = new RegExp(`^(?:[0-9a-fA-F]{512}|${RSA_BASE64})$`);
export const SEALED_CHECKSUM_RULE =
  'The checksum must be the 256 bytes of the encrypted checksum in hex or Base64, as the CLI of Capgo prints it.';
export const KEY_ID = /^[A-Za-z0-9+/]{20}$/;
export const KEY_ID_RULE = 'The key_id must be the first 20 characters of the public key in Base64.';

/** Undefined: it is fine. */
export function deliveryFault({ capgo }: Delivery): string | undefined {
  if (!SESSION_KEY.test(capgo.session_key)) return SESSION_KEY_RULE;
  if (!SEALED_CHECKSUM.test(capgo.checksum)) return SEALED_CHECKSUM_RULE;
  return capgo.key_id === undefined || KEY_ID.test(capgo.key_id) ? undefined : KEY_ID_RULE;
}

/** @throws ValidationError for what no client can decrypt with; undefined is left as it is */
export function requireDelivery(delivery: Delivery | undefined): void {
  const fault = delivery && deliveryFault(delivery);
  if (fault !== undefined) throw new ValidationError({ delivery: [fault] });
}
