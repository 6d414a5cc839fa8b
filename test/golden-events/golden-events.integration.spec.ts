import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UPCASTERS } from '@sluice/contracts';
import { upcast, type Upcasters } from '@sluice/event-store';
import { type DomainEvent, type JsonObject, stableUuid } from '@sluice/kernel';
import type { Projection } from '@sluice/projections';
import { version } from '../../package.json';
import { DEFINITIONS } from '../deploy/made-secrets';
import { type GoldenStream, STREAMS } from './events';
import { lostMembers } from './growth';
import { project } from './project';
import { type EventTypes, eventTypesIn, shrunk } from './types';

type Examples = Readonly<Record<string, JsonObject>>;

const AT = '2026-01-01T00:00:00.000Z';
const fileOf = (release: string, stream: string) => join(__dirname, release, `${stream}.json`);
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Examples;
const typesOf = (release: string) => join(__dirname, `${release}.types.json`);
const present = eventTypesIn(join(__dirname, 'events.ts'));

if (process.env['RECORD_GOLDEN_EVENTS'] !== undefined) {
  mkdirSync(join(__dirname, version), { recursive: true });
  for (const [stream, { examples }] of Object.entries(STREAMS)) {
    writeFileSync(fileOf(version, stream), `${JSON.stringify(examples, null, 2)}\n`);
  }
  const lines = Object.entries(present).map(([path, kinds]) => `  "${path}": ${JSON.stringify(kinds)}`);
  writeFileSync(typesOf(version), `{\n${lines.join(',\n')}\n}\n`);
}

const releases = readdirSync(__dirname, { withFileTypes: true }).flatMap((each) =>
  each.isDirectory() ? each.name : [],
);
const golden = releases.flatMap((release) =>
  readdirSync(join(__dirname, release)).map((file) => ({
    release,
    stream: file.replace('.json', ''),
    examples: read(join(__dirname, release, file)),
  })),
);

/** Folds events of a former release, and names what their types have lost since. */
function replay({ decider, examples: present }: GoldenStream, former: Examples, upcasters: Upcasters) {
  const events = Object.entries(former).map(([type, data]) => upcast({ type, data }, upcasters));
  const state = events.reduce((current, event) => decider.evolve(current, event, AT, AT), decider.initialState());
  const lost = events.flatMap(({ type, data }) => lostMembers(data, present[type], type));
  return { state, lost };
}

it.each(golden)('$release: each event of $stream evolves, and its type has all its members', ({ stream, examples }) => {
  expect(replay(STREAMS[stream]!, examples, UPCASTERS).lost).toEqual([]);
});

it.each(releases)('%s: no type of an event takes less than it took', (release) => {
  const former = JSON.parse(readFileSync(typesOf(release), 'utf8')) as EventTypes;
  const renamed = Object.keys(UPCASTERS);
  const kept = Object.entries(former).filter(([path]) => !renamed.includes(path.replace(/[.[].*/, '')));
  expect(shrunk(Object.fromEntries(kept), present)).toEqual([]);
});

it('the types of this release are recorded', () => {
  // RECORD_GOLDEN_EVENTS=1 records them.
  expect(JSON.parse(readFileSync(typesOf(version), 'utf8'))).toEqual(present);
});

/** The streams that the examples belong to, owners and apps first; what removes an app comes last. */
const IDS: Readonly<Record<string, string>> = {
  ...{ owner: 'owner-2', apps: 'apps', app: 'app-7', token: 'token-3', apiKeys: 'apiKeys-7', keystore: 'keystore-7' },
  keyText: `keyText-${'0'.repeat(64)}`,
  ...{ channels: 'channels-7', planTemplates: 'planTemplates-7', groups: 'groups-7' },
  ...{
    signingKey: 'signingKey-7',
    channel: 'channel-7-production',
    plan: 'plan-1',
    job: 'job-01JGFJJZ000000000000000000',
  },
  ...{ merchant: 'merchant-default', syncRun: 'syncRun-r1', sequence: 'sequence-apps', installation: 'installation' },
};
const LAST: readonly string[] = ['AppRemovalStarted', 'AppRemoved'];

function recorded(release: string) {
  const events = Object.entries(IDS).flatMap(([kind, stream]) =>
    Object.entries(read(fileOf(release, kind))).map(([type, data]) => ({
      stream,
      ...upcast({ type, data }, UPCASTERS),
    })),
  );
  const order = [...events].sort((one, other) => LAST.indexOf(one.type) - LAST.indexOf(other.type));
  return order.map((event, at) => ({
    ...event,
    id: stableUuid(String(at)),
    metadata: { at: AT, actor: 'owner:1', commandId: 'c1', correlationId: 'c1', causationId: 'c1' },
    revision: order.slice(0, at).filter(({ stream }) => stream === event.stream).length,
    position: String(at).padStart(16, '0'),
    recordedAt: AT,
  }));
}

const projections = DEFINITIONS.flatMap((service) =>
  service.projections.map((projection) => [projection.name, projection]),
);
const projected = releases.flatMap((release) =>
  (projections as [string, Projection][]).map(([name, projection]) => ({ release, name, projection })),
);

it.each(projected)('$release: each event of its streams passes through the projection $name', async (given) => {
  const events = recorded(given.release);
  const taken = events.filter(({ stream }) => given.projection.prefixes.some((prefix) => stream.startsWith(prefix)));
  expect(taken).not.toEqual([]);
  // Also without the events that remove an app, and its rows with it.
  for (const removals of [true, false]) {
    const rows = await project(
      given.projection,
      events.filter(({ type }) => removals || !LAST.includes(type)),
    );
    expect(Object.keys(rows)).toEqual(given.projection.collections.map(({ name }) => name));
  }
});

it('every kind of stream is replayed through the projections', () => {
  expect(Object.keys(IDS).sort()).toEqual(Object.keys(STREAMS).sort());
});

it.each(Object.keys(STREAMS))('the events of %s are recorded for this release', (stream) => {
  // RECORD_GOLDEN_EVENTS=1 records them.
  expect(read(fileOf(version, stream))).toEqual(JSON.parse(JSON.stringify(STREAMS[stream]!.examples)));
});

describe('a type of a former release', () => {
  type Moved = { readonly type: 'MovedTo'; readonly data: { readonly place: { readonly city: string } } };
  const moves: GoldenStream = {
    decider: {
      initialState: () => 'nowhere',
      evolve: (_state, event: DomainEvent) => {
        if (event.type !== 'MovedTo') throw new Error(`The type ${event.type} is unknown.`);
        return (event as Moved).data.place.city;
      },
    },
    examples: { MovedTo: { place: { city: 'Rome' } } },
  };
  const former = { Moved: { city: 'Oslo' } };
  const upcasters: Upcasters = { Moved: ({ city }) => ({ type: 'MovedTo', data: { place: { city: city! } } }) };

  it('evolves through its upcaster', () => {
    expect(replay(moves, former, upcasters)).toEqual({ state: 'Oslo', lost: [] });
  });

  it('is found when it has none', () => {
    expect(() => replay(moves, former, {})).toThrow('The type Moved is unknown.');
  });

  it('is found when a member is gone, or is of another kind', () => {
    const recorded = { MovedTo: { place: { city: 'Oslo', street: null }, since: 1 } };
    expect(replay(moves, recorded, {}).lost).toEqual(['MovedTo.place.street', 'MovedTo.since']);
    expect(replay(moves, { MovedTo: { place: { city: 7 } } }, {}).lost).toEqual(['MovedTo.place.city']);
  });
});

describe('the type of an event', () => {
  const former = { Moved: ['object'], 'Moved.city': ['"Oslo"', '"Rome"'], 'Moved.note': ['string', 'undefined'] };

  it.each([
    ['has less members', { ...former, 'Moved.city': undefined }, ['Moved.city is gone']],
    ['takes less values', { ...former, 'Moved.city': ['"Oslo"'] }, ['Moved.city no longer takes "Rome"']],
    ['takes other values', { ...former, 'Moved.note': ['number', 'undefined'] }, ['Moved.note no longer takes string']],
    ['requires a member', { ...former, 'Moved.note': ['string'] }, ['Moved.note became required']],
    ['requires a new member', { ...former, 'Moved.by': ['string'] }, ['Moved.by is new and required']],
    ['takes more values', { ...former, 'Moved.city': ['string'], 'Moved.by': ['string', 'undefined'] }, []],
    ['is new', { ...former, Left: ['object'], 'Left.city': ['string'] }, []],
  ])('that %s', (_, now, faults) => {
    expect(shrunk(former, JSON.parse(JSON.stringify(now)) as EventTypes)).toEqual(faults);
  });
});
