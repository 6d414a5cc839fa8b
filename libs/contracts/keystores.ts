import { z } from 'zod';
import { defineCall } from './call';
import { idSchema, timeSchema } from './values';

const configuredSchema = z.object({
  configured: z.literal(true),
  original_name: z.string(),
  size_bytes: z.int().min(0),
  /** Lower-case hex, of the file as it was sent. */
  sha256: z.string(),
  uploaded_at: timeSchema,
});
export type ConfiguredKeystore = z.infer<typeof configuredSchema>;

/** A keystore backup. */
export const keystoreSchema = z.discriminatedUnion('configured', [
  z.object({ configured: z.literal(false) }),
  configuredSchema,
]);
export type Keystore = z.infer<typeof keystoreSchema>;

const appRequest = z.object({ appId: idSchema });

/** Base64 of the 32 bytes that seal the bytes of one object and no other's. */
export const sealKeySchema = z.string().regex(/^[A-Za-z0-9+/]{43}=$/);
const dataKey = sealKeySchema;

export const getKeystore = defineCall('keys.getKeystore', appRequest, keystoreSchema);

/** Where the next backup of an app's keystore goes, and the key to seal it with. Nothing is kept of it. */
export const prepareKeystore = defineCall(
  'keys.prepareKeystore',
  appRequest,
  z.object({ objectKey: z.string(), dataKey }),
);

/** Keeps what lies sealed in the object store as the app's backup, in place of an earlier one. */
export const storeKeystore = defineCall(
  'keys.storeKeystore',
  appRequest.extend({
    originalName: z.string().min(1).max(255),
    size: z.int().min(0),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    objectKey: z.string(),
    dataKey,
  }),
  /** For a repeat, `objectKey` is the object of the first time and `keystore` the present backup. */
  z.object({ objectKey: z.string(), keystore: keystoreSchema }),
);

/** Rejected with KEYSTORE_NOT_FOUND, the second time too. */
export const deleteKeystore = defineCall('keys.deleteKeystore', appRequest, z.object({ deleted: z.literal(true) }), [
  'KEYSTORE_NOT_FOUND',
]);

/** What it takes to open the backup. Rejected with KEYSTORE_NOT_FOUND. */
export const openKeystore = defineCall(
  'keys.openKeystore',
  appRequest,
  z.object({ originalName: z.string(), size: z.int().min(0), objectKey: z.string(), dataKey }),
);
