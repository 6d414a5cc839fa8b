import { MAX_PACKET_BYTES } from '@sluice/messaging';
import { sixServices, type Deployment } from '../support/deployment';
import { management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(180_000);

/** What a page holds at most. */
const BUILDS = 50;
const LONGEST_NOTES = 5_000;
const APP = '/apps/com.example.shop';
/** `max_payload` of a NATS server by default. */
const NATS_BYTES = 1_048_576;

interface Page<Item> {
  readonly data: readonly Item[];
}
interface Build {
  readonly id: number;
  readonly version: string;
  readonly release_notes: string;
}
interface Edit {
  readonly build_id: number;
  readonly before: Pick<Build, 'release_notes'>;
  readonly after: Pick<Build, 'release_notes'>;
}

/** Ideographs at random: three bytes each, which no compression makes few. */
function longestNotes(): string {
  const characters = Array.from({ length: LONGEST_NOTES }, () => 0x4e00 + Math.floor(Math.random() * 0x5000));
  return String.fromCharCode(...characters);
}

describe(`the largest pages on ${sixServices.name}`, () => {
  const test = sixServices.available ? it : it.skip;
  const notes = new Map<number, string>();
  let deployment: Deployment;
  let token: string;
  const api = (gateway = 0) => management(deployment.gateways[gateway]!, token);

  beforeAll(async () => {
    if (!sixServices.available) return;
    deployment = await sixServices.deploy();
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      OWNER_KEY: await deployment.ownerKey(),
    });
    token = (JSON.parse(made.stdout) as { token: string }).token;
    await api().post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    const bundle = await zipOf({ 'index.html': 'x' });
    for (let number = 1; number <= BUILDS; number += 1) {
      const release_notes = longestNotes();
      const fields = { version: `1.${number}.0`, channel: 'staging', release_notes };
      const { status, body } = await api().upload(`${APP}/builds`, bundle, fields);
      expect(status).toBe(202);
      notes.set(body.data.build.id, release_notes);
    }
  }, 180_000);

  afterAll(async () => {
    if (sixServices.available) await deployment.destroy();
  });

  test('of builds with the longest notes cross NATS as it is by itself', async () => {
    const asOf = encodeURIComponent(new Date().toISOString());
    for (const gateway of [0, 1]) {
      for (const query of ['', `&as_of=${asOf}`]) {
        const { status, body } = await api(gateway).get<Page<Build>>(`${APP}/builds?per_page=${BUILDS}${query}`);
        expect(status).toBe(200);
        expect(new Map(body.data.map(({ id, release_notes }) => [id, release_notes]))).toEqual(notes);
        expect(Buffer.byteLength(JSON.stringify(body))).toBeGreaterThan(MAX_PACKET_BYTES);
      }
    }
  });

  test('of a history that holds each of them twice, too', async () => {
    const edited = new Map<number, string>();
    for (const id of notes.keys()) {
      const release_notes = longestNotes();
      expect((await api().patch(`${APP}/builds/${id}`, { release_notes })).status).toBe(200);
      edited.set(id, release_notes);
    }
    const { body } = await api().get<Page<Edit>>(`${APP}/history?type=BuildEdited&per_page=${BUILDS}`);
    const seen = body.data.map(({ build_id, before, after }) => ({ build_id, before, after }));
    expect(seen).toEqual(
      [...notes.keys()].reverse().map((id) => ({
        build_id: id,
        before: { release_notes: notes.get(id) },
        after: { release_notes: edited.get(id) },
      })),
    );
    expect(Buffer.byteLength(JSON.stringify(body))).toBeGreaterThan(NATS_BYTES);
  });
});
