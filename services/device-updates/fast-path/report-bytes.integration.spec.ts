import { buildFacts, startBothWays, type BothWays } from '../../../test/support/device-plane';
import { connectRaw } from '@sluice/testing/hostile-client';
import { answersTo } from '@sluice/testing/raw-answers';
import { deviceReports } from '../reports/device-reports';
import { reportErrors } from '../reports/report-errors';

jest.setTimeout(60_000);

const BASE = '/api/v1/analytics';

let planes: BothWays;
let key: string;
let restricted: string;
const build = buildFacts(1, '1.4.0');
const elsewhere = buildFacts(2, '1.4.0', { appId: 2 });

beforeAll(async () => {
  planes = await startBothWays([build, elsewhere]);
  ({ key, restricted } = planes);
});

afterAll(() => planes.close());

interface Spelled {
  readonly path?: string;
  /** Undefined: none is named. */
  readonly type?: string | undefined;
  /** Default: that of the body. */
  readonly length?: number | string;
  readonly more?: readonly string[];
  readonly headers?: readonly string[];
}

const device = (apiKey = key) => [`X-API-Key: ${apiKey}`, 'X-Device-ID: phone-1', 'X-Platform: ios'];
const complete = (more: object = {}) => JSON.stringify({ bundle_id: build.bundleId, status: 'complete', ...more });

/** @param body in Latin-1; undefined: not even a length */
function report(body: string | undefined, spelled: Spelled = {}): string {
  const { path = '/install', length = body?.length, more = [], headers = device() } = spelled;
  const type = 'type' in spelled ? spelled.type : 'application/json';
  const lines = [
    `POST ${BASE}${path} HTTP/1.1`,
    'Host: x',
    ...headers,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...(length === undefined ? [] : [`Content-Length: ${length}`]),
    ...more,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

const last = (body: string | undefined, spelled: Spelled = {}) =>
  report(body, { ...spelled, more: [...(spelled.more ?? []), 'Connection: close'] });
const mau = { path: '/mau', more: ['X-Bundle-Version: v1.4'] };
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

/** What is sent, and the status of each answer. */
const spellings: readonly (readonly [string, () => string, readonly number[]])[] = [
  ['as devices write it', () => last(complete()), [200]],
  ['a download', () => last(complete(), { path: '/download' }), [200]],
  ['an active device', () => last(undefined, { ...mau, type: undefined }), [200]],
  ['an active device that says how long nothing is', () => last('', { ...mau, type: undefined }), [200]],
  ['an active device that calls nothing JSON', () => last('', mau), [200]],
  ['an active device with a body', () => last('{"more":1}', mau), [200]],
  ['an active device with a broken body', () => last('{', mau), [400]],
  ['an active device without a version', () => last('', { path: '/mau' }), [422]],
  [
    'a version that is none where none is asked for',
    () => last(complete(), { more: ['X-Bundle-Version: new'] }),
    [200],
  ],
  ['all that there is to say', () => last(complete({ status: 'failed', error: 'disk', previous_version: '1' })), [200]],
  ['nulls and more', () => last(complete({ error: null, previous_version: null, more: [1] })), [200]],
  ['a bundle in capitals', () => last(complete({ bundle_id: build.bundleId.toUpperCase() })), [200]],
  ['spaces around the body', () => last(` \r\n${complete()}\n`), [200]],
  ['a member twice', () => last(`{"status":"none",${complete().slice(1)}`), [200]],
  ['a prototype', () => last(`{"__proto__":{"error":1},${complete().slice(1)}`), [200]],
  ['all of it as the prototype', () => last(`{"__proto__":${complete()}}`), [422]],
  ['text beyond ASCII', () => last(complete({ error: 'x' }).replace('x', 'gr\xc3\xb6\xc3\x9fer')), [200]],
  ['bytes that are no UTF-8', () => last(complete({ error: 'x' }).replace('x', '\xff')), [400]],
  ['half a character at the end', () => last(`${complete()}\xc3`), [400]],
  ['a byte order mark', () => last(`\xef\xbb\xbf${complete()}`), [400]],
  ['no JSON', () => last('{"bundle_id":'), [400]],
  ['no JSON, with more behind it', () => report('{') + last(complete()), [400]],
  ['nothing', () => last(''), [422]],
  ['spaces alone', () => last('  '), [422]],
  ['null', () => last('null'), [422]],
  ['a list', () => last('[]'), [422]],
  ['a number', () => last('7'), [422]],
  ['no status', () => last(JSON.stringify({ bundle_id: build.bundleId })), [422]],
  ['a rollback', () => last(complete({ status: 'rollback' })), [200]],
  ['a rollback of a download', () => last(complete({ status: 'rollback' }), { path: '/download' }), [422]],
  ['a status of another type', () => last(complete({ status: ['complete'] })), [422]],
  ['a bundle of another type', () => last(complete({ bundle_id: [build.bundleId] })), [422]],
  ['an error of another type', () => last(complete({ error: 7 })), [422]],
  ['a long error', () => last(complete({ error: 'x'.repeat(501) })), [422]],
  ['a long version', () => last(complete({ previous_version: '1'.repeat(51) })), [422]],
  ['a wrong error and a wrong version', () => last(complete({ error: 7, previous_version: 7 })), [422]],
  ['a build of another app', () => last(complete({ bundle_id: elsewhere.bundleId })), [404]],
  ['no build', () => last(complete({ bundle_id: '3f3b4d76-6a5c-4b8e-9a53-1b2f3d4c5e6f' })), [404]],
  ['4 KiB', () => last(complete({ more: 'x'.repeat(4_000) })), [200]],
  ['5 KiB', () => last(complete({ more: 'x'.repeat(5_000) })), [200]],
  ['17 KiB', () => last(complete({ more: 'x'.repeat(17_000) })), [413]],
  ['4 KiB that are 12 as text', () => last('\xff'.repeat(4_096)), [400]],
  ['no key', () => last(complete(), { headers: [] }), [401]],
  ['no key, no JSON, and then more', () => report('{', { headers: [] }) + last(complete()), [401, 200]],
  ['a caller that may not', () => last(complete(), { headers: device(restricted) }), [403]],
  ['no device', () => last(complete(), { headers: device().slice(0, 1) }), [400]],
  ['a platform that is none', () => last(complete(), { headers: [...device().slice(0, 2), 'X-Platform: tv'] }), [422]],
  ['a page', () => last(complete(), { more: ['Origin: https://a.example'] }), [200]],
  ['a page beyond ASCII', () => last('{', { more: ['Origin: https://\xe4.example'] }), [400]],
  ['no type', () => last(complete(), { type: undefined }), [415]],
  ['a type in capitals', () => last(complete(), { type: 'Application/JSON' }), [200]],
  ['a character set', () => last(complete(), { type: 'application/json; charset=utf-8' }), [200]],
  ['another character set', () => last(complete(), { type: 'application/json; charset=latin1' }), [200]],
  ['a kind of JSON', () => last(complete(), { type: 'application/vnd.x+json' }), [200]],
  ['a form', () => last('a=b', { type: 'application/x-www-form-urlencoded' }), [415]],
  ['an empty form', () => last('', { type: 'application/x-www-form-urlencoded' }), [422]],
  ['a type that is none', () => last(complete(), { type: 'json' }), [415]],
  [
    'chunks',
    () => last(chunked(complete()), { more: ['Transfer-Encoding: chunked'] }).replace(/Content-Length.*\r\n/, ''),
    [200],
  ],
  ['zeros before the length', () => last(complete(), { length: `000${complete().length}` }), [200]],
  ['a length that is none', () => last(complete(), { length: '1e2' }), [400]],
  ['two lengths', () => last(complete(), { more: ['Content-Length: 3'] }), [400]],
  ['Expect: 100-continue', () => last(complete(), { more: ['Expect: 100-continue'] }), [100, 200]],
  ['three in one packet', () => report(complete()) + report('[]') + last('', mau), [200, 422, 200]],
  ['a query', () => last(complete(), { path: '/install?a=b' }), [200]],
  ['a slash at the end', () => last(complete(), { path: '/install/' }), [404]],
  ['an encoded path', () => last(complete(), { path: '/%69nstall' }), [200]],
  ['GET', () => last(undefined).replace('POST', 'GET'), [404]],
  ['PUT', () => last(complete()).replace('POST', 'PUT'), [404]],
];

it.each(spellings)('%s: to the byte what the router answers', async (_, bytes, statuses) => {
  const { quick, routed } = planes;
  const heard = await answersTo(quick.address, bytes());
  expect(heard.map(({ status }) => Number(status.split(' ')[1]))).toEqual(statuses);
  expect(heard).toEqual(await answersTo(routed.address, bytes()));
});

it('reads a body that comes a byte at a time, and says nothing to one that is cut off', async () => {
  const { stores, quick } = planes;
  const rows = stores.documents.rows(deviceReports);
  await rows.deleteWhere({});
  const cutOff = await connectRaw(quick.address);
  cutOff.socket.write(report(complete(), { length: complete().length + 1 }), 'latin1');
  await new Promise((resolve) => setTimeout(resolve, 50));
  cutOff.socket.destroy();
  expect(await cutOff.closed).toBe('');
  expect(await rows.count()).toBe(0);

  const slow = await connectRaw(quick.address);
  slow.socket.setNoDelay(true);
  const bytes = last(complete({ status: 'failed', error: 'x' }).replace('x', '\xc3\xb6'));
  const begin = bytes.indexOf('{');
  slow.socket.write(bytes.slice(0, begin), 'latin1');
  for (const byte of bytes.slice(begin)) {
    slow.socket.write(byte, 'latin1');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(await slow.closed).toMatch(/^HTTP\/1\.1 200 /);
  expect(await rows.find()).toMatchObject([{ metric: 'build/1/install_failures' }]);
  expect(await stores.documents.rows(reportErrors).find()).toContainEqual(expect.objectContaining({ text: 'ö' }));
  expect(quick.logger.messages).toEqual([]);
});
