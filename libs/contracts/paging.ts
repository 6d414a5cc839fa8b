import { z } from 'zod';

/** Which page of a list. */
export const pageRequestSchema = z.object({ page: z.int().min(1), perPage: z.int().min(1).max(50) });
export type PageRequest = z.infer<typeof pageRequestSchema>;

/** One page and how many rows all pages hold. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), total: z.int().min(0) });
}
