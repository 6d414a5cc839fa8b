import {
  type Delivery,
  KEY_ID,
  KEY_ID_RULE,
  SEALED_CHECKSUM,
  SEALED_CHECKSUM_RULE,
  SESSION_KEY,
  SESSION_KEY_RULE,
} from '@sluice/kernel/delivery';
import { z } from 'zod';

/** What clients need to decrypt a bundle. */
export const deliverySchema: z.ZodType<Delivery> = z.strictObject(
  {
    capgo: z.strictObject(
      {
        session_key: z
          .string(SESSION_KEY_RULE)
          .regex(SESSION_KEY, SESSION_KEY_RULE)
          .describe('Base64 of the IV, a colon, and Base64 of the AES key, which is encrypted with the private key.'),
        checksum: z
          .string(SEALED_CHECKSUM_RULE)
          .regex(SEALED_CHECKSUM, SEALED_CHECKSUM_RULE)
          .describe(
            'SHA-256 of the zip before its encryption, encrypted with the private key: 256 bytes in hex or Base64.',
          ),
        key_id: z
          .string(KEY_ID_RULE)
          .regex(KEY_ID, KEY_ID_RULE)
          .optional()
          .describe(
            'The first 20 characters of the public key in Base64. Devices that send another one are not offered the build.',
          ),
      },
      'The capgo must be an object with the members session_key and checksum, and key_id or not.',
    ),
  },
  'The delivery must be an object with the member capgo.',
);
