import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Settings } from '@sluice/config';
import { GROUP_LISTS, GROUP_OBJECTS } from '@sluice/contracts';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import type { DocumentStore } from '@sluice/document-store';
import { createCommandHandling, type CommandHandling } from '@sluice/event-store';
import { newCommandId } from '@sluice/kernel';
import { createProjections, type Projections } from '@sluice/projections';
import { eventually, recordingLogger, temporaryDirectory } from '@sluice/testing';
import { dataKeysOf } from '../../../test/support/data-keys';
import { openDeviceStores, type DeviceStores } from '../../../test/support/device-plane';
import { DeviceHashes } from '../devices/device-hashes';
import type { ServingIndex } from '../serving/serving-index';
import { serving } from '../serving/serving.projection';
import { groups, groupsStream } from './domain/groups';
import { memberOf, PackedGroup } from './domain/packed-group';
import { GroupErasure } from './group-erasure';
import { GroupsCloser } from './groups-closer';
import { GroupsSweep } from './groups-sweep';

const GRACE_MS = 3_600_000;
const SETTINGS = { objectGraceSeconds: GRACE_MS / 1_000, eventStorePrefix: '' } as Settings;
const logger = recordingLogger();

let stores: DeviceStores;
let state: DocumentStore;
let commands: CommandHandling;
let projections: Projections;
let hashes: DeviceHashes;
let clock: { time: number; now: () => Date; monotonic: () => number };
let sweep: GroupsSweep;

beforeEach(async () => {
  stores = await openDeviceStores();
  state = await openSqliteDocumentStore({ path: join(temporaryDirectory(), 'state.db') });
  const { events, documents, objects } = stores;
  clock = { time: 0, now: () => new Date(clock.time), monotonic: () => clock.time };
  projections = createProjections({ events, documents, projections: [serving], waitMs: 5_000, logger });
  await projections.start();
  const visible: Projections['visible'] = (stream, position) => projections.visible(stream, position);
  commands = createCommandHandling({ store: events, clock, visible });
  hashes = new DeviceHashes({ keys: dataKeysOf(Buffer.alloc(32, 9)), clock });
  sweep = new GroupsSweep(objects, events, documents, state, projections, clock, SETTINGS, logger);
});

afterEach(async () => {
  await projections.close();
  await state.close();
  await stores.close();
});

async function replace(name: string, revision: number, devices: readonly string[]): Promise<void> {
  const packed = PackedGroup.of(BigUint64Array.from(devices, (id) => memberOf(hashes.of(1, id).hash)));
  const objectKey = `${GROUP_OBJECTS}1/${name}-${revision}.bin`;
  await stores.objects.put(objectKey, Readable.from([packed.bytes()]));
  const command = { type: 'ReplaceGroup', appId: 1, name, objectKey, size: packed.size, keyVersion: 1 } as const;
  await commands.handle(groups, groupsStream(1), command, { commandId: newCommandId(), actor: 'token:1' });
}

async function stored(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of stores.objects.list(prefix)) keys.push(key);
  return keys;
}

/** The objects that have the device. */
async function having(device: string): Promise<string[]> {
  const member = memberOf(hashes.of(1, device).hash);
  const found: string[] = [];
  for (const key of await stored('')) {
    const bytes = new Uint8Array(await buffer(await stores.objects.get(key)));
    if (PackedGroup.from(bytes.buffer).has(member)) found.push(key);
  }
  return found;
}

/** What an hour of sweeps deletes. */
async function sweepForAnHour(): Promise<void> {
  await sweep.sweep();
  clock.time += GRACE_MS - 1;
  await sweep.sweep();
  clock.time += 1;
  await sweep.sweep();
}

it('leaves a device in no stored group, nor in an older revision of one', async () => {
  await replace('beta', 1, ['watch', 'tablet']);
  await replace('beta', 2, ['phone', 'watch']);
  await replace('staff', 1, ['watch']);
  await replace('others', 1, ['phone']);
  expect(await having('watch')).toHaveLength(3);
  const index = { builds: { groups: { loadedOf: () => undefined } } } as unknown as ServingIndex;
  const erasure = new GroupErasure(commands, stores.objects, index);
  const caller = { commandId: newCommandId(), actor: 'token:1' };
  await erasure.erase(1, hashes.known(1, 'watch'), caller);
  expect(await erasure.groupsOf(1, hashes.known(1, 'watch'))).toEqual([]);
  await sweepForAnHour();
  expect(await having('watch')).toEqual([]);
  expect(await having('tablet')).toEqual([]);
  expect(await having('phone')).toHaveLength(2);
  expect(await stored('')).toHaveLength(3);
});

it('keeps no group and no uploaded list of an app that is removed', async () => {
  await replace('beta', 1, ['watch']);
  await replace('beta', 2, ['phone']);
  await replace('staff', 1, ['watch']);
  await stores.objects.put(`${GROUP_LISTS}1/left-behind`, Readable.from(['x']));
  const closer = new GroupsCloser(commands, stores.events, state, logger);
  await closer.onApplicationBootstrap();
  await stores.append('app-1', { type: 'AppRemovalStarted', data: { id: 1 } });
  await eventually(async () => (await commands.load(groups, groupsStream(1))).state.closed);
  await closer.beforeApplicationShutdown();
  await sweepForAnHour();
  expect([await stored(GROUP_OBJECTS), await stored(GROUP_LISTS)]).toEqual([[], []]);
});
