import { buildFacts, startBothWays, type BothWays } from '../../../test/support/device-plane';
import { answersTo } from '@sluice/testing/raw-answers';

jest.setTimeout(60_000);

const PATH = '/api/v1/updates/check';

let planes: BothWays;
let key: string;
let restricted: string;

beforeAll(async () => {
  planes = await startBothWays([
    buildFacts(1, '1.4.0', { releaseNotes: 'Größer 🚀, "schneller"' }),
    buildFacts(2, '1.5.0', { rolloutPercentage: 50, channel: 'staging' }),
  ]);
  ({ key, restricted } = planes);
});

afterAll(() => planes.close());

interface Spelled {
  readonly line?: string;
  /** Instead of what a device sends. */
  readonly headers?: readonly string[];
  readonly more?: readonly string[];
  readonly body?: string;
}

const device = (apiKey = key) => [
  `X-API-Key: ${apiKey}`,
  'X-Device-ID: phone-1',
  'X-Current-Version: 0.9.0',
  'X-Platform: ios',
];

function request({ line = `GET ${PATH} HTTP/1.1`, headers = device(), more = [], body = '' }: Spelled = {}): string {
  return `${[line, 'Host: x', ...headers, ...more].join('\r\n')}\r\n\r\n${body}`;
}

const last = (spelled: Spelled = {}) => request({ ...spelled, more: [...(spelled.more ?? []), 'Connection: close'] });
const without = (name: string) => device().filter((header) => !header.startsWith(name));
const target = (address: string) => last({ line: `GET ${address} HTTP/1.1` });
const chunks = '5\r\nhello\r\n0\r\n\r\n';

/** What is sent, and the status of each answer. */
const spellings: readonly (readonly [string, () => string, readonly number[]])[] = [
  ['as devices write it', () => last(), [200]],
  ['no header at all', () => last({ headers: [] }), [401]],
  ['a key twice', () => last({ more: [`X-API-Key: ${key}`] }), [401]],
  ['a device twice', () => last({ more: ['X-Device-ID: phone-2'] }), [200]],
  ['a version twice, of which the first counts', () => last({ more: ['X-Current-Version: 9.0.0'] }), [200]],
  ['a platform twice', () => last({ more: ['X-Platform: web'] }), [422]],
  ['an origin twice', () => last({ more: ['Origin: https://a.example', 'Origin: https://b.example'] }), [200]],
  [
    'names in capitals',
    () => last({ headers: device().map((each) => each.replace(/^[^:]+/, (n) => n.toUpperCase())) }),
    [200],
  ],
  [
    'names in small letters',
    () => last({ headers: device().map((each) => each.replace(/^[^:]+/, (n) => n.toLowerCase())) }),
    [200],
  ],
  [
    'spaces and tabs around values',
    () => last({ headers: device().map((each) => `${each.replace(': ', ':\t  ')} \t `) }),
    [200],
  ],
  ['an empty device', () => last({ headers: without('X-Device-ID'), more: ['X-Device-ID:'] }), [400]],
  [
    'a device beyond ASCII',
    () => last({ headers: without('X-Device-ID'), more: ['X-Device-ID: ger\xc3\xa4t'] }),
    [200],
  ],
  [
    'a version with more behind it',
    () => last({ headers: without('X-Cur'), more: ['X-Current-Version: 1.0.0\xff'] }),
    [200],
  ],
  [
    'an origin beyond ASCII',
    () => last({ headers: device(restricted), more: ['Origin: https://\xe4.example'] }),
    [403],
  ],
  ['a caller that may not', () => last({ headers: device(restricted) }), [403]],
  [
    'three in one packet',
    () => request() + request({ line: `GET ${PATH}?channel=staging HTTP/1.1` }) + last(),
    [200, 200, 200],
  ],
  [
    'a refusal among others',
    () => request() + request({ headers: [] }) + request({ line: 'GET /api/v1/none HTTP/1.1' }) + last(),
    [200, 401, 404, 200],
  ],
  ['HTTP/1.0', () => request({ line: `GET ${PATH} HTTP/1.0` }), [200]],
  [
    'HTTP/1.0 with keep-alive',
    () =>
      request({ line: `GET ${PATH} HTTP/1.0`, more: ['Connection: keep-alive'] }) +
      request({ line: `GET ${PATH} HTTP/1.0` }),
    [200, 200],
  ],
  ['HEAD', () => last({ line: `HEAD ${PATH} HTTP/1.1` }), [404]],
  ['POST', () => last({ line: `POST ${PATH} HTTP/1.1`, more: ['Content-Length: 2'], body: '{}' }), [404]],
  [
    'OPTIONS',
    () =>
      last({
        line: `OPTIONS ${PATH} HTTP/1.1`,
        more: ['Origin: https://a.example', 'Access-Control-Request-Headers: x-api-key'],
      }),
    [204],
  ],
  ['a method in small letters', () => last({ line: `get ${PATH} HTTP/1.1` }), [400]],
  [
    'a body',
    () => request({ more: ['Content-Length: 5', 'Content-Type: application/json'], body: 'hello' }) + last(),
    [200, 200],
  ],
  ['a body in chunks', () => request({ more: ['Transfer-Encoding: chunked'], body: chunks }) + last(), [200, 200]],
  ['a refused body', () => request({ headers: [], more: ['Content-Length: 5'], body: 'hello' }) + last(), [401, 200]],
  [
    'a body of two lengths',
    () => last({ more: ['Content-Length: 5', 'Transfer-Encoding: chunked'], body: chunks }),
    [400],
  ],
  [
    'Expect: 100-continue',
    () => last({ more: ['Expect: 100-continue', 'Content-Length: 5'], body: 'hello' }),
    [100, 200],
  ],
  ['Upgrade', () => request({ more: ['Connection: close, Upgrade', 'Upgrade: h2c'] }), [200]],
  ['a condition', () => last({ more: ['If-None-Match: *', 'Range: bytes=0-1', 'Accept-Encoding: gzip'] }), [200]],
  ['no host', () => `GET ${PATH} HTTP/1.1\r\nConnection: close\r\n\r\n`, [400]],
  ['lines without carriage returns', () => last().replaceAll('\r', ''), [400]],
  ['a header over two lines', () => last({ more: ['X-More: a\r\n b'] }), [400]],
  ['the server in front of the path', () => target(`http://updates.example.com${PATH}`), [200]],
  ['a fragment', () => target(`${PATH}#top`), [200]],
  ['an empty query', () => target(`${PATH}?`), [200]],
  ['another channel', () => target(`${PATH}?channel=staging`), [200]],
  ['no channel', () => target(`${PATH}?channel=`), [422]],
  ['a channel twice', () => target(`${PATH}?channel=staging&channel=staging`), [422]],
  ['a channel in capitals', () => target(`${PATH}?channel=Staging`), [422]],
  ['a name in capitals', () => target(`${PATH}?CHANNEL=staging`), [200]],
  ['an encoded channel', () => target(`${PATH}?channel=%73taging`), [200]],
  ['a channel that is badly encoded', () => target(`${PATH}?channel=%zz`), [422]],
  ['a channel and more', () => target(`${PATH}?channel=staging&_=1`), [200]],
  ['an encoded path', () => target('/api/v1/updates/%63heck'), [200]],
  ['a path that is badly encoded', () => target('/api/v1/updates/%zz'), [400]],
  ['an encoded slash', () => target('/api/v1/updates%2Fcheck'), [404]],
  ['a slash at the end', () => target(`${PATH}/`), [404]],
  ['two slashes', () => target('/api/v1//updates/check'), [404]],
  ['a path in capitals', () => target('/api/v1/updates/CHECK'), [404]],
  ['dots', () => target('/api/v1/updates/../updates/check'), [404]],
  ['a parameter of the path', () => target(`${PATH};channel=staging`), [404]],
  ['a header of 15 KiB', () => last({ more: [`X-More: ${'x'.repeat(15 * 1024)}`] }), [200]],
];

it.each(spellings)('%s: to the byte what the router answers', async (_, bytes, statuses) => {
  const { quick, routed } = planes;
  const heard = await answersTo(quick.address, bytes());
  expect(heard.map(({ status }) => Number(status.split(' ')[1]))).toEqual(statuses);
  expect(heard).toEqual(await answersTo(routed.address, bytes()));
});

it('a header of 1 MiB: 431 from both, or a connection that ends before it is heard', async () => {
  for (const plane of [planes.quick, planes.routed]) {
    const heard = await answersTo(plane.address, last({ more: [`X-More: ${'x'.repeat(1024 * 1024)}`] }));
    expect(['431', undefined]).toContain(heard[0]?.status.split(' ')[1]);
    expect((await answersTo(plane.address, last()))[0]?.status).toBe('HTTP/1.1 200 OK');
  }
});
