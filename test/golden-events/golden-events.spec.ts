import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UPCASTERS } from '@sluice/contracts';
import { upcast, type Upcasters } from '@sluice/event-store';
import type { DomainEvent, JsonObject } from '@sluice/kernel';
import { version } from '../../package.json';
import { type GoldenStream, STREAMS } from './events';
import { lostMembers } from './growth';

type Examples = Readonly<Record<string, JsonObject>>;

const AT = '2026-01-01T00:00:00.000Z';
const fileOf = (release: string, stream: string) => join(__dirname, release, `${stream}.json`);
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Examples;

if (process.env['RECORD_GOLDEN_EVENTS'] !== undefined) {
  mkdirSync(join(__dirname, version), { recursive: true });
  for (const [stream, { examples }] of Object.entries(STREAMS)) {
    writeFileSync(fileOf(version, stream), `${JSON.stringify(examples, null, 2)}\n`);
  }
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
  const state = events.reduce((current, event) => decider.evolve(current, event, AT), decider.initialState());
  const lost = events.flatMap(({ type, data }) => lostMembers(data, present[type], type));
  return { state, lost };
}

it.each(golden)('$release: each event of $stream evolves, and its type has all its members', ({ stream, examples }) => {
  expect(replay(STREAMS[stream]!, examples, UPCASTERS).lost).toEqual([]);
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
