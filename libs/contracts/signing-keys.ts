import { z } from 'zod';
import { defineCall } from './call';
import { idSchema, timeSchema } from './values';

/** How bundles are signed: RSA with SHA-256, padded by PKCS#1 v1.5, or by PSS with a salt of 32 bytes. */
export const signatureSchemeSchema = z.enum(['pkcs1v15', 'pss']);

const configuredSchema = z.object({
  configured: z.literal(true),
  id: idSchema,
  name: z.string(),
  scheme: signatureSchemeSchema,
  /** PEM of the SubjectPublicKeyInfo. */
  public_key: z.string(),
  /** Lower-case hex SHA-256 of the SubjectPublicKeyInfo's DER. */
  fingerprint: z.string(),
  /** `retired`: in the answer to a repeat, when another key took its place meanwhile. */
  status: z.enum(['active', 'retired']),
  created_at: timeSchema,
  rotated_at: timeSchema.nullable(),
});
export type ConfiguredSigningKey = z.infer<typeof configuredSchema>;

/** Spec 1, Signing key; `scheme` is ours. */
export const signingKeySchema = z.discriminatedUnion('configured', [
  z.object({ configured: z.literal(false) }),
  configuredSchema,
]);
export type SigningKey = z.infer<typeof signingKeySchema>;

const wish = z.object({
  appId: idSchema,
  name: z.string().optional(),
  scheme: signatureSchemeSchema.optional(),
  /** Bits of the RSA modulus. */
  size: z.union([z.literal(2048), z.literal(3072)]).optional(),
});

export const getSigningKey = defineCall('keys.getSigningKey', z.object({ appId: idSchema }), signingKeySchema);

/** Refused with SIGNING_KEY_EXISTS. */
export const createSigningKey = defineCall('keys.createSigningKey', wish, configuredSchema);

/** What is left out of name and scheme stays as it is. Refused with NO_ACTIVE_SIGNING_KEY. */
export const rotateSigningKey = defineCall('keys.rotateSigningKey', wish, configuredSchema);

/**
 * Signs by every key that the app's installed clients may trust: the active one, and a former one until it is retired.
 * `signature` is Base64, null when the app has no key: of the oldest of these keys, which every installed client knows.
 * `signatures` names the key of each, oldest key first.
 */
export const signDigest = defineCall(
  'keys.signDigest',
  /** `digest`: lower-case hex SHA-256 of the bytes to sign. */
  z.object({ appId: idSchema, digest: z.string().regex(/^[0-9a-f]{64}$/) }),
  z.object({
    signature: z.string().nullable(),
    signatures: z.array(z.object({ key_id: idSchema, signature: z.string() })),
  }),
);
