import { z } from 'zod';
import { idSchema } from './values';

/** The resources that changes are told of. */
export const changeTopicSchema = z.enum([
  'apps',
  'builds',
  'jobs',
  'keys',
  'signing-key',
  'keystore',
  'tokens',
  'owner',
  'listings',
]);
export type ChangeTopic = z.infer<typeof changeTopicSchema>;

/** That something changed, not how: whoever shows it asks for it anew. */
export const changeSchema = z.object({
  topic: changeTopicSchema,
  /** Whose it is; null for what belongs to no app. */
  app: idSchema.nullable(),
  /** The one thing that changed, where it was one and has an id. */
  id: z.union([idSchema, z.string()]).optional(),
});
export type Change = z.infer<typeof changeSchema>;
