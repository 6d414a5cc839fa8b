import { Readable, pipeline } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import {
  type Caller,
  deleteGroup,
  getGroup,
  type Group,
  GROUP_OBJECTS,
  listGroups,
  replaceGroup,
  type ReplyOf,
  type RequestOf,
} from '@sluice/contracts';
import { findPage, type ReadableRows, ReadStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { DomainError, KeyedMutex, newUlid } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { OBJECT_STORE, opening, type ObjectStore } from '@sluice/object-store';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { requireFormat, TARGETING_FORMAT } from '@sluice/service-host';
import { DeviceHashes } from '../devices/device-hashes';
import { ServingIndex } from '../serving/serving-index';
import { serving, servingGroups, type ServingGroup } from '../serving/serving.projection';
import { readDeviceList } from './domain/device-list';
import { groupNotFound, groups, groupsStream, type GroupEvent } from './domain/groups';
import { memberOf, PackedGroup } from './domain/packed-group';

/** In memory, a device takes 8 bytes. */
const MAX_OF_INSTALLATION = 50_000_000;
const FIRST_ROOM = 4_096;

/** The device groups of apps. */
@Injectable()
export class GroupHandlers {
  private readonly rows: ReadableRows<ServingGroup>;
  /** One file at a time: each needs some megabytes. */
  private readonly packing = new KeyedMutex();

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    readStore: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly hashes: DeviceHashes,
    private readonly index: ServingIndex,
  ) {
    this.rows = readStore.view(serving.name, servingGroups);
  }

  @HandlesQuery(listGroups)
  async list({ appId, ...page }: RequestOf<typeof listGroups>): Promise<ReplyOf<typeof listGroups>> {
    const { rows, total } = await findPage(this.rows, { where: { appId }, sort: [['name', 'asc']], ...page });
    return { items: rows.map(toGroup), total };
  }

  @HandlesQuery(getGroup)
  async get({ appId, name }: RequestOf<typeof getGroup>): Promise<Group> {
    const row = await this.projections.find(serving.name, () => this.rows.get(`${appId}/${name}`));
    if (row === undefined) throw groupNotFound(name);
    return toGroup(row);
  }

  /** The object is stored before the event that names it. One that no event names is swept. */
  @HandlesCommand(replaceGroup)
  async replace(request: RequestOf<typeof replaceGroup>, caller: Caller): Promise<ReplyOf<typeof replaceGroup>> {
    const { appId, name, objectKey: listKey, dataKey, ifRevision } = request;
    const stream = groupsStream(appId);
    const before = await this.commands.repeat(groups, stream, caller);
    if (before !== undefined) return replyOf(before.events);
    await requireFormat(this.commands, TARGETING_FORMAT);
    const { packed, keyVersion } = await this.packing.run('', () => this.pack(appId, listKey, dataKey));
    this.refuseBeyondInstallation(appId, name, packed.size);
    const objectKey = `${GROUP_OBJECTS}${appId}/${newUlid()}.bin`;
    await this.objects.put(objectKey, Readable.from([packed.bytes()]));
    const group = { appId, name, objectKey, size: packed.size, keyVersion };
    const command = { type: 'ReplaceGroup', ...group, ifRevision } as const;
    return replyOf((await this.commands.handle(groups, stream, command, caller)).events);
  }

  @HandlesCommand(deleteGroup)
  async delete(group: RequestOf<typeof deleteGroup>, caller: Caller) {
    await this.commands.handle(groups, groupsStream(group.appId), { type: 'DeleteGroup', ...group }, caller);
    return { deleted: true as const, name: group.name };
  }

  /** @throws ValidationError that names wrong lines */
  private async pack(appId: number, objectKey: string, dataKey: string) {
    const sealed = await this.objects.get(objectKey);
    const seal = { key: Buffer.from(dataKey, 'base64'), boundTo: objectKey };
    const { keyVersion, hash } = this.hashes.ofMany(appId);
    let members = new BigUint64Array(FIRST_ROOM);
    let size = 0;
    // An error of the pipeline ends the read as well.
    await readDeviceList(
      pipeline(sealed, opening(seal), () => undefined),
      (deviceId) => {
        if (size === members.length) {
          const larger = new BigUint64Array(2 * size);
          larger.set(members);
          members = larger;
        }
        members[size++] = memberOf(hash(deviceId));
      },
    );
    return { packed: PackedGroup.of(members.slice(0, size)), keyVersion };
  }

  private refuseBeyondInstallation(appId: number, name: string, size: number): void {
    const { groups } = this.index.builds;
    const others = groups.memberships - (groups.sizeOf(appId, name) ?? 0);
    if (others + size <= MAX_OF_INSTALLATION) return;
    throw new DomainError(
      'GROUP_LIMIT_REACHED',
      `The groups of all apps may have at most ${MAX_OF_INSTALLATION} devices together. Delete groups that no build uses.`,
      { max_memberships: MAX_OF_INSTALLATION },
    );
  }
}

function replyOf(events: readonly (GroupEvent & { readonly metadata: { readonly at: string } })[]) {
  const replaced = events.find((event) => event.type === 'GroupReplaced');
  if (replaced === undefined) throw new Error('The command was given before, for something else than a group.');
  const { name, objectKey, size, revision } = replaced.data;
  return { objectKey, group: { name, devices: size, revision, updated_at: replaced.metadata.at } };
}

function toGroup({ name, size, revision, updatedAt }: ServingGroup): Group {
  return { name, devices: size, revision, updated_at: updatedAt };
}
