import { z } from 'zod';
import { groupNameSchema } from './audience';
import { defineCall } from './call';
import { sealKeySchema } from './keystores';
import { pageOf, pageRequestSchema } from './paging';
import { idSchema, ifRevisionSchema, timeSchema } from './values';

/** Keys of packed groups begin with the first, those of uploaded lists of devices with the second. */
export const GROUP_OBJECTS = 'groups/';
export const GROUP_LISTS = 'group-lists/';

/** A named group of devices of an app, for the audiences of builds. */
export const groupSchema = z.object({
  name: groupNameSchema,
  devices: z.int().min(0).meta({ description: 'How many devices it has.' }),
  revision: z.int().min(1).meta({
    description:
      'Rises each time the group is replaced, or a device of it is deleted. If-Match takes it, as in the ETag.',
  }),
  updated_at: timeSchema,
});
export type Group = z.infer<typeof groupSchema>;

const ofGroup = { appId: idSchema, name: z.string() };

/** By name ascending. */
export const listGroups = defineCall(
  'deviceUpdates.listGroups',
  pageRequestSchema.extend({ appId: idSchema }),
  pageOf(groupSchema),
);

export const getGroup = defineCall('deviceUpdates.getGroup', z.object(ofGroup), groupSchema, ['GROUP_NOT_FOUND']);

/**
 * The file of device ids lies sealed in the object store. It is not kept: the caller deletes it. For a repeat,
 * `objectKey` is the object that the first time stored.
 */
export const replaceGroup = defineCall(
  'deviceUpdates.replaceGroup',
  z.object({
    ...ofGroup,
    ifRevision: ifRevisionSchema,
    name: groupNameSchema,
    objectKey: z.string(),
    dataKey: sealKeySchema,
  }),
  z.object({ objectKey: z.string(), group: groupSchema }),
  ['GROUP_CHANGED', 'GROUP_LIMIT_REACHED', 'GROUP_NOT_FOUND', 'UPGRADE_NOT_FINISHED'],
);

/** Builds whose audiences name only this group are then offered to no device. */
export const deleteGroup = defineCall(
  'deviceUpdates.deleteGroup',
  z.object({ ...ofGroup, ifRevision: ifRevisionSchema }),
  z.object({ deleted: z.literal(true), name: z.string() }),
  ['GROUP_CHANGED', 'GROUP_NOT_FOUND'],
);

/** Streams `groups-{appId}`, as other services read them. */
export type GroupEvent =
  /** `size`: devices. `keyVersion`: of the data key under which they are hashed. */
  | {
      readonly type: 'GroupReplaced';
      readonly data: {
        readonly appId: number;
        readonly name: string;
        readonly revision: number;
        readonly objectKey: string;
        readonly size: number;
        readonly keyVersion: number;
      };
    }
  | { readonly type: 'GroupDeleted'; readonly data: { readonly appId: number; readonly name: string } }
  /** The app is being removed: all of its groups are gone, and there will be none. */
  | { readonly type: 'GroupsClosed'; readonly data: { readonly appId: number } };
