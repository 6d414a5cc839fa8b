import { z } from 'zod';
import { idSchema } from './values';

/** The resources whose changes are announced. */
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

/** That something changed, without the change: a client that shows it requests it again. */
export const changeSchema = z.object({
  topic: changeTopicSchema,
  /** Whose it is; null for what belongs to no app. */
  app: idSchema.nullable(),
  /** The one thing that changed, where it was one and has an id. */
  id: z.union([idSchema, z.string()]).optional(),
});
export type Change = z.infer<typeof changeSchema>;

/** An event, as the service that owns its stream describes it; `subject` is what follows the stream's prefix. */
export interface ChangeEvent {
  readonly subject: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What the events of one kind of stream change of what clients are shown. */
export interface AnnouncedChange {
  readonly topic: ChangeTopic;
  /**
   * Whose the change is, and what it changed where that has an id: `id` counts as a number or a text alone. Undefined
   * where nothing that is shown has changed. Also called with types that a newer release added.
   */
  readonly of: (event: ChangeEvent) => { readonly app: number | null; readonly id?: unknown } | undefined;
  /** The app is the `appId` of the stream's first event. */
  readonly appInFirstEvent?: true;
}

/** What a service announces, by prefixes of its streams' names. */
export type AnnouncedChanges = Readonly<Record<string, AnnouncedChange>>;
