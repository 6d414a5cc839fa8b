import { type Delivery, deliveryFault } from '@sluice/kernel/delivery';
import { z } from 'zod';
import { Failure } from './failure';
import { readText } from './read-text';

const deliverySchema = z.strictObject({
  capgo: z.strictObject({ session_key: z.string(), checksum: z.string(), key_id: z.string().optional() }),
});
/** What `npx @capgo/cli bundle encrypt --json` prints. */
const encryptedSchema = z.object({ ivSessionKey: z.string(), checksum: z.string(), keyId: z.string().optional() });

/** What clients need to decrypt the bundle. @throws Failure */
export async function readDelivery(path: string): Promise<Delivery> {
  const delivery = deliveryIn(await readText('delivery', path));
  const fault =
    delivery === undefined
      ? 'It must be JSON such as {"capgo":{"session_key":"…","checksum":"…"}}, or the output of npx @capgo/cli bundle encrypt --json.'
      : deliveryFault(delivery);
  if (delivery !== undefined && fault === undefined) return delivery;
  throw new Failure({ code: 'NO_DELIVERY', message: `${path} is not what was expected: ${fault}` });
}

function deliveryIn(text: string): Delivery | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const encrypted = encryptedSchema.safeParse(json);
    if (!encrypted.success) return deliverySchema.parse(json);
    const { ivSessionKey, checksum, keyId } = encrypted.data;
    return { capgo: { session_key: ivSessionKey, checksum, ...(keyId !== undefined && { key_id: keyId }) } };
  } catch {
    return undefined;
  }
}
