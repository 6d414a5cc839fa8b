import { z } from 'zod';
import { defineCall } from './call';
import { pageOf, pageRequestSchema } from './paging';
import { idSchema, timeSchema } from './values';

/** How bundles are signed: RSA with SHA-256, padded by PKCS#1 v1.5, or by PSS with a salt of 32 bytes. */
export const signatureSchemeSchema = z.enum(['pkcs1v15', 'pss']);

const keySchema = z.object({
  id: idSchema,
  name: z.string(),
  scheme: signatureSchemeSchema,
  /** PEM of the SubjectPublicKeyInfo. */
  public_key: z.string(),
  /** Lower-case hex SHA-256 of the SubjectPublicKeyInfo's DER. */
  fingerprint: z.string(),
  /**
   * `active`: signs, and takes the place of the one before it in new installs. `former`: continues to sign for clients
   * that trust only this key. `retired`: no longer signs.
   */
  status: z.enum(['active', 'former', 'retired']),
  created_at: timeSchema,
});

const configuredSchema = keySchema.extend({
  configured: z.literal(true),
  rotated_at: timeSchema.nullable(),
  /** Former keys that still sign, oldest first. */
  former_keys: z.array(keySchema.pick({ id: true, fingerprint: true })),
});
export type ConfiguredSigningKey = z.infer<typeof configuredSchema>;

/** A signing key. */
export const signingKeySchema = z.discriminatedUnion('configured', [
  z.object({ configured: z.literal(false) }),
  configuredSchema,
]);
export type SigningKey = z.infer<typeof signingKeySchema>;

/** A key of an app, whatever became of it. Clients may trust it from `created_at` until `retired_at`. */
export const listedSigningKeySchema = keySchema.extend({
  /** When another key became the active one; null while this one is. */
  superseded_at: timeSchema.nullable(),
  retired_at: timeSchema.nullable(),
});
export type ListedSigningKey = z.infer<typeof listedSigningKeySchema>;

/** As it is listed. */
export const countedSigningKeySchema = listedSigningKeySchema.extend({
  /**
   * Devices that last reported a version which was first signed while this was the newest key, so that it may be the
   * newest key that they know. Null while the device plane does not answer.
   */
  devices: z.int().min(0).nullable(),
});
export type CountedSigningKey = z.infer<typeof countedSigningKeySchema>;

const wish = z.object({
  appId: idSchema,
  name: z.string().optional(),
  scheme: signatureSchemeSchema.optional(),
  /** Bits of the RSA modulus. */
  size: z.union([z.literal(2048), z.literal(3072)]).optional(),
});

export const getSigningKey = defineCall('keys.getSigningKey', z.object({ appId: idSchema }), signingKeySchema);

export const signingCertificateSchema = z.object({
  /** PEM of the X.509 certificate. */
  certificate: z.string(),
  /** What the configuration of an app calls the key: `codeSigningMetadata.keyid` of Expo. */
  keyid: z.string(),
  alg: z.literal('rsa-v1_5-sha256'),
  valid_from: timeSchema,
  valid_until: timeSchema,
});
export type SigningCertificate = z.infer<typeof signingCertificateSchema>;

/**
 * A self-signed certificate of the public key, for clients that trust certificates. The same bytes at every request. Rejected
 * with KEY_NOT_FOUND for a key that signs nothing any more.
 */
export const getSigningCertificate = defineCall(
  'keys.getSigningCertificate',
  z.object({ appId: idSchema, id: idSchema }),
  signingCertificateSchema,
);

/** Newest first: the active key, former ones, retired ones. */
export const listSigningKeys = defineCall(
  'keys.listSigningKeys',
  pageRequestSchema.extend({ appId: idSchema }),
  pageOf(listedSigningKeySchema),
);

/** Rejected with SERVICE_UNAVAILABLE, and nothing done, while too many keys are being made. */
export const createSigningKey = defineCall('keys.createSigningKey', wish, configuredSchema, ['SIGNING_KEY_EXISTS']);

/**
 * A new active key; the previous one continues to sign until it is retired. A name or scheme that is omitted stays as
 * it is. Rejected with NO_ACTIVE_SIGNING_KEY, TOO_MANY_FORMER_SIGNING_KEYS, and FINGERPRINT_MISMATCH unless the active
 * key is the expected one; with SERVICE_UNAVAILABLE as createSigningKey is.
 */
export const rotateSigningKey = defineCall(
  'keys.rotateSigningKey',
  wish.extend({ expectedFingerprint: z.string().optional() }),
  configuredSchema,
  ['NO_ACTIVE_SIGNING_KEY', 'FINGERPRINT_MISMATCH', 'TOO_MANY_FORMER_SIGNING_KEYS'],
);

/** A former key signs nothing any more. A retired one is answered as it is. */
export const retireSigningKey = defineCall(
  'keys.retireSigningKey',
  z.object({ appId: idSchema, id: idSchema }),
  listedSigningKeySchema,
  ['SIGNING_KEY_ACTIVE'],
);

/**
 * Signs by every key that the app's installed clients may trust: the active one, and a former one until it is retired.
 * `signature` is Base64, null when the app has no key: of the oldest of these keys, which every installed client knows.
 * `signatures` names the key of each, oldest key first.
 */
export const signDigest = defineCall(
  'keys.signDigest',
  /** `digest`: lower-case hex SHA-256 of the bytes to sign. `scheme`: left out, that of each key. */
  z.object({
    appId: idSchema,
    digest: z.string().regex(/^[0-9a-f]{64}$/),
    scheme: signatureSchemeSchema.optional(),
  }),
  z.object({
    signature: z.string().nullable(),
    signatures: z.array(z.object({ key_id: idSchema, signature: z.string() })),
  }),
);
