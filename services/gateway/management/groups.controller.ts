import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import {
  deleteGroup,
  getGroup,
  GROUP_LISTS,
  groupNameSchema,
  listGroups,
  replaceGroup,
  toValidationError,
} from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import { DomainError, newUlid, ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { z } from 'zod';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes } from '../http/route';
import type { ReceivedForm, StoredFile } from '../uploads/upload';
import { Uploads } from '../uploads/uploads';
import { ifMatchHeader, ifRevision, tagged } from './if-match';

const MAX_LIST_BYTES = 128 * 1024 ** 2;
/** A list of 1,000,000 devices takes some seconds. */
const PACKING_MS = 120_000;

/** Text that is no name names nothing. */
const groupOf = (context: RequestContext) => {
  const name = groupNameSchema.safeParse(context.param('group'));
  if (name.success) return { appId: context.app.id, name: name.data };
  throw new DomainError('GROUP_NOT_FOUND', 'The app has no device group of this name.');
};

@Routes('Device groups', 'Named groups of devices, which audiences of builds and channels name.')
export class GroupsController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly uploads: Uploads,
  ) {}

  @ManagementRoute('GET', 'apps/:app/groups', {
    summary: 'List the device groups of an app, by name',
    query: [pageQuery],
    call: listGroups,
  })
  listGroups = ({ app }: RequestContext, page: z.output<typeof pageQuery>) => ({ ...page, appId: app.id });

  @ManagementRoute('GET', 'apps/:app/groups/:group', {
    summary: 'One device group',
    description: 'Its devices are stored as hashes and cannot be read back.',
    call: getGroup,
    ...tagged(getGroup, 200, 'The group.'),
  })
  getGroup = groupOf;

  /** The list is sealed while it is in the object store, with a key that is stored nowhere. */
  @ManagementRoute('POST', 'apps/:app/groups/:group', {
    limit: 'uploads',
    summary: 'Create or replace a device group',
    description:
      'Send the part file: text in UTF-8 with one device ID in each line, at most 1,000,000. Devices are in the group within seconds after the response. Builds for which the audience of the build or the channel names the group are offered to them. If any line is wrong, nothing changes.',
    form: z.object({}),
    headers: ifMatchHeader,
    ...tagged({ reply: replaceGroup.reply.shape.group }, 200, 'The group.'),
    refusals: [...replaceGroup.refusals, 'UPLOAD_FAILED'],
  })
  async replaceGroup(context: RequestContext) {
    const { data: name, error } = groupNameSchema.safeParse(context.param('group'));
    if (error !== undefined) throw new ValidationError({ name: toValidationError(error).errors['body'] ?? [] });
    const { ifRevision: expected } = ifRevision(context);
    const appId = context.app.id;
    const dataKey = randomBytes(32);
    const target = { maxBytes: MAX_LIST_BYTES, objectKey: `${GROUP_LISTS}${newUlid()}`, dataKey };
    const { group } = await this.uploads.take(context.request, target, {
      read: readList,
      accept: ({ file: { key: objectKey } }, caller) =>
        this.messaging.request(
          replaceGroup,
          { appId, name, objectKey, dataKey: dataKey.toString('base64'), ifRevision: expected },
          caller,
          { timeoutMs: PACKING_MS },
        ),
    });
    return group;
  }

  @ManagementRoute('DELETE', 'apps/:app/groups/:group', {
    summary: 'Delete a device group',
    description:
      'Builds whose audience names no other group, and those of channels whose audience names no other, are then offered to no device.',
    headers: ifMatchHeader,
    call: deleteGroup,
    answers: { 200: 'The group is deleted.' },
  })
  deleteGroup = (context: RequestContext) => ({ ...groupOf(context), ...ifRevision(context) });
}

function readList({ file }: ReceivedForm): { readonly file: StoredFile } {
  if (file !== undefined) return { file };
  throw new ValidationError({ file: ['A file is required. Send one device id in each line, in the part "file".'] });
}
