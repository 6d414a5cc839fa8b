import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type Caller, GROUP_OBJECTS } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { newUlid, stableUuid } from '@sluice/kernel';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { ServingIndex } from '../serving/serving-index';
import { type DeviceGroup, groups, groupsStream } from './domain/groups';
import { memberOf, type PackedGroup } from './domain/packed-group';
import { readGroup } from './group-loader';

/** Finds a device in the groups of its app, and removes it from them. */
@Injectable()
export class GroupErasure {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    private readonly index: ServingIndex,
  ) {}

  /** The names of the groups that have a device with one of the hashes. @throws ObjectStoreUnavailableError */
  async groupsOf(appId: number, hashes: readonly string[]): Promise<string[]> {
    const members = hashes.map(memberOf);
    const found: string[] = [];
    for (const group of await this.all(appId)) {
      const packed = await this.read(appId, group);
      if (members.some((member) => packed.has(member))) found.push(group.name);
    }
    return found;
  }

  /** Writes each of its groups again, without the device. */
  async erase(appId: number, hashes: readonly string[], caller: Caller): Promise<void> {
    const members = hashes.map(memberOf);
    for (const { name } of await this.all(appId)) await this.eraseFrom(appId, name, members, caller);
  }

  private async eraseFrom(appId: number, name: string, members: readonly bigint[], caller: Caller): Promise<void> {
    // Again where it was replaced meanwhile.
    for (;;) {
      const [group] = (await this.all(appId)).filter((one) => one.name === name);
      if (group === undefined) return;
      const packed = await this.read(appId, group);
      const left = packed.without(members);
      if (left === packed) return;
      const objectKey = `${GROUP_OBJECTS}${appId}/${newUlid()}.bin`;
      await this.objects.put(objectKey, Readable.from([left.bytes()]));
      const { keyVersion } = group;
      const replacement = { objectKey, size: left.size, keyVersion, replaces: group.objectKey };
      const command = { type: 'ReplaceGroup', appId, name, ...replacement } as const;
      // Each has an id of its own, because one request may change several groups.
      const step = { ...caller, commandId: stableUuid(caller.commandId, group.objectKey) };
      const { events } = await this.commands.handle(groups, groupsStream(appId), command, step);
      if (events.length > 0) return;
    }
  }

  private async all(appId: number): Promise<DeviceGroup[]> {
    return [...(await this.commands.load(groups, groupsStream(appId))).state.groups.values()];
  }

  private read(appId: number, { name, objectKey, size }: DeviceGroup): Promise<PackedGroup> | PackedGroup {
    return (
      this.index.builds.groups.loadedOf({ id: `${appId}/${name}`, objectKey }) ??
      readGroup(this.objects, { objectKey, size })
    );
  }
}
