import { canonicalJson, channelStateText, sequenceOf, statedManifest } from './statements';

const VALIDITY = { issued: new Date('2026-01-01T00:00:00.000Z'), expires: new Date('2026-01-08T00:00:00.000Z') };
const DATES = '"expires":"2026-01-08T00:00:00.000Z","issued":"2026-01-01T00:00:00.000Z"';

it.each([
  ['production', undefined, 0],
  ['production', 0, 1],
  ['staging', 41, 42],
  ['pr-1.2', undefined, 2 * 2 ** 20],
  ['pr-1.2', 0, 2 * 2 ** 20 + 1],
])('numbers a statement about %s and revision %p with %i', (channel, revision, sequence) => {
  expect(sequenceOf(channel, revision)).toBe(sequence);
});

it('calls an added channel by its name, of which a later channel has higher sequences', () => {
  const facts = { appId: 7, platform: 'ios' as const, versions: {} };
  const state = (channel: string, revision: number) =>
    JSON.parse(channelStateText({ ...facts, channel, sequence: sequenceOf(channel, revision) }, VALIDITY)) as {
      channel: string;
      sequence: number;
    };
  const [former, later] = [state('pr-1.2', 900_000), state('pr-1.3', 0)];
  expect([former.channel, later.channel]).toEqual(['pr-1', 'pr-1']);
  expect(later.sequence).toBeGreaterThan(former.sequence);
});

it.each([
  [null, 'null'],
  ['2.1', '">=2.1"'],
])('states a build with the native version %p', (minNativeVersion, range) => {
  const build = { appId: 7, channel: 'production', version: '1.2.0', bundleId: 'b1', checksum: 'ab', size: 10 };
  expect(statedManifest({ ...build, minNativeVersion, manifestRevision: 4 }, VALIDITY)).toBe(
    `{"appId":7,"bundleId":"b1","channel":"production",${DATES},"nativeRange":${range},"platform":"all",` +
      '"sequence":5,"sha256":"ab","size":10,"type":"manifest","version":"1.2.0"}',
  );
});

it('states the native rules of a build, its range in comparators', () => {
  const build = { appId: 7, channel: 'production', version: '1.2.0', bundleId: 'b1', checksum: 'ab', size: 10 };
  const rules = { minNativeVersion: null, nativeRange: '^2.1.0 || 4.x', fingerprint: 'f00d', platform: 'ios' as const };
  expect(JSON.parse(statedManifest({ ...build, ...rules, manifestRevision: 4 }, VALIDITY))).toMatchObject({
    ...{ nativeRange: '>=2.1.0 <3.0.0-0||>=4.0.0-0 <5.0.0-0', fingerprint: 'f00d', platform: 'ios' },
  });
});

it('states a channel with the sequences of its builds', () => {
  const facts = { appId: 7, channel: 'staging', platform: 'ios' as const, sequence: 9 };
  expect(channelStateText({ ...facts, versions: { '1.10.0': 8, '1.2.0': 3 } }, VALIDITY)).toBe(
    `{"appId":7,"channel":"staging",${DATES},"platform":"ios","sequence":9,"type":"channelState",` +
      '"versions":{"1.10.0":8,"1.2.0":3}}',
  );
});

it.each([
  [null, 'null'],
  ['a "b"', '"a \\"b\\""'],
  [1, '1'],
  [{}, '{}'],
  [{ b: 0, a: { d: null, c: 'x' }, B: 1 }, '{"B":1,"a":{"c":"x","d":null},"b":0}'],
])('writes %j as %s', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});
