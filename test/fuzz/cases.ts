import type { Random } from '../faults/random';
import { pickOperation, type Operation } from './operations';
import { buildRequest, bytesOf, headerText, type BuiltRequest, type Given } from './requests';
import { characters, oddWord } from './values';

/** What one connection sends, and what has to come of it. */
export interface Case {
  readonly kind: string;
  /** Sent one after the other, with a turn of the event loop, or `pauseMs`, between them. */
  readonly pieces: readonly Buffer[];
  readonly pauseMs?: number;
  /** Of the requests, in their order, as far as they are well formed. */
  readonly requests: readonly SentRequest[];
  /**
   * `answers`: one for each request. `end`: an answer, or the end of the connection. `nothing`: the server
   * may wait for more, the client goes away.
   */
  readonly expects: 'answers' | 'end' | 'nothing';
  /** What the client does behind the last piece: nothing, half a close, or a reset after so many milliseconds. */
  readonly leaves?: 'half' | { readonly resetAfterMs: number };
}

export interface CaseSource {
  readonly operations: readonly Operation[];
  readonly given: Given;
}

/** Without a target: it was cut, or spelled so that the server may read another one. */
export type SentRequest = Pick<BuiltRequest, 'method' | 'operation'> & { readonly target?: string };

type Make = (source: CaseSource, random: Random) => Case;

const one = (
  { operations, given }: CaseSource,
  random: Random,
  kind?: Parameters<typeof buildRequest>[3],
): BuiltRequest => buildRequest(pickOperation(operations, random), random, given, kind);
const pieces = (...lines: string[]): Buffer[] => [Buffer.from(lines.join('\r\n'), 'latin1')];

const described: Make = (source, random) => {
  const request = one(source, random);
  return { kind: 'described', pieces: [bytesOf(request)], requests: [request], expects: 'answers' };
};

const json: Make = (source, random) => {
  const bodies = source.operations.filter(({ body }) => body !== undefined);
  const request = buildRequest(pickOperation(bodies, random), random, source.given, 'broken');
  return { kind: 'broken JSON', pieces: [bytesOf(request)], requests: [request], expects: 'answers' };
};

const form: Make = (source, random) => {
  const forms = source.operations.filter((operation) => operation.form !== undefined);
  const operation = random.pick(random.chance(0.9) ? forms : source.operations);
  const request = buildRequest(operation, random, source.given, 'form');
  return { kind: 'forms', pieces: [bytesOf(request)], requests: [request], expects: 'answers' };
};

const pipeline: Make = (source, random) => {
  const requests = Array.from({ length: 2 + random.below(12) }, () => one(source, random));
  const bytes = Buffer.concat(requests.map((request) => bytesOf(request)));
  // An answer may end the connection before the next request: then the others get none.
  if (random.chance(0.5)) return { kind: 'pipelined', pieces: [bytes], requests, expects: 'end' };
  const cut = random.chance(0.3) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
  const leaves = { resetAfterMs: random.below(30) };
  return { kind: 'pipelined, reset', pieces: [cut], requests, expects: 'nothing', leaves };
};

const dribbled: Make = (source, random) => {
  const request = one(source, random);
  const bytes = bytesOf(request);
  const size = Math.ceil(bytes.length / (2 + random.below(40)));
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  );
  return { kind: 'dribbled', pieces: parts, pauseMs: 1, requests: [request], expects: 'answers' };
};

const halfClosed: Make = (source, random) => {
  const request = one(source, random);
  const bytes = bytesOf(request);
  const { method, operation } = request;
  const rest = { kind: 'half closed', expects: 'end', leaves: 'half' } as const;
  if (random.chance(0.7)) return { ...rest, pieces: [bytes], requests: [request] };
  return { ...rest, pieces: [bytes.subarray(0, random.below(bytes.length))], requests: [{ method, operation }] };
};

const headers: Make = (source, random) => {
  const request = one(source, random);
  const word = headerText(oddWord(random));
  const odd = Array.from({ length: 1 + random.below(3) }, () =>
    random.pick([
      `Cookie: ${headerText(characters(random, random.below(300)))}`,
      `Cookie: sluice_session=${word}; sluice_session=x; __Secure-sluice_session=%zz`,
      `Host: ${word}`,
      `Origin: ${word}`,
      `X-Forwarded-For: ${word}, 10.0.0.1, ::1`,
      `X-Forwarded-Proto: ${word}`,
      `traceparent: 00-${'0'.repeat(32)}-${'f'.repeat(16)}-01`,
      `traceparent: ${word}`,
      `Accept: ${word}`,
      `Accept-Encoding: ${random.pick(['gzip;q=0', '*;q=0, identity;q=0', 'br, br, br', word])}`,
      `Expect: ${random.pick(['100-continue', '200-ok', word])}`,
      `Upgrade: ${random.pick(['websocket', 'h2c', word])}`,
      'Connection: Upgrade, keep-alive, close, Host, Authorization',
      `Idempotency-Key: ${word}`,
      `Last-Event-ID: ${word}`,
      `Content-Encoding: ${random.pick(['gzip', 'identity', word])}`,
      `X-HTTP-Method-Override: DELETE`,
      `X-API-Key: ${word}`,
      `X-Device-ID: ${word}`,
      `Authorization: Bearer ${word}`,
      `X-Access-Token: ${word}`,
      ` folded: ${word}`,
      `X-Control: a${String.fromCharCode(random.below(32))}b`,
      `X-${characters(random, 5)}: 1`.replaceAll(/[^\x20-\x7e]/g, '~'),
      `X-Many: ${'a'.repeat(random.below(20_000))}`,
      ...[`Content-Type: ${word}`, `Referer: ${word}`, `Sec-Fetch-Site: ${word}`, `User-Agent: ${word}`],
    ]),
  );
  const many = random.chance(0.03) ? Array.from({ length: random.below(3_000) }, (_, n) => `x${n}: 1`) : [];
  return { kind: 'headers', pieces: [bytesOf(request, [...odd, ...many])], requests: [request], expects: 'end' };
};

const ranges: Make = (source, random) => {
  const reads = source.operations.filter(({ method }) => method === 'GET');
  const request = buildRequest(pickOperation(reads, random), random, source.given, 'none');
  const number = (): number => random.pick([0, 1, 2, 99, 2 ** 31, 2 ** 53, -1, 1e21]);
  const range = random.pick([
    `bytes=${number()}-${number()}`,
    `bytes=${number()}-`,
    `bytes=-${number()}`,
    `bytes=0-0,${'1-1,'.repeat(random.below(500))}2-2`,
    ...['bytes=', 'bytes=a-b', 'items=0-1', 'bytes=0-0, 5-', 'BYTES=0-1', `bytes=${'9'.repeat(400)}-`],
  ]);
  const conditions = [
    ...(random.chance(0.8) ? [`Range: ${range}`] : []),
    ...(random.chance(0.3) ? [`If-None-Match: ${random.pick(['*', '"x"', 'W/"x"', ',,', '"'.repeat(50), 'x'])}`] : []),
    ...(random.chance(0.3) ? [`If-Range: ${random.pick(['"x"', 'Wed, 21 Oct 2015 07:28:00 GMT', 'x'])}`] : []),
    ...(random.chance(0.3) ? [`If-Modified-Since: ${random.pick(['Wed, 21 Oct 9999 07:28:00 GMT', 'x', '0'])}`] : []),
    ...(random.chance(0.2) ? [`If-Match: ${random.pick(['*', '"x"'])}`] : []),
  ];
  return {
    kind: 'ranges, conditions',
    pieces: [bytesOf(request, conditions)],
    requests: [request],
    expects: 'answers',
  };
};

/** Request lines and framing that no client of ours writes. */
const framing: Make = (source, random) => {
  const { method, target, operation, headers: credentials } = one(source, random, 'none');
  const requests = [{ method, operation }];
  const head = (line: string, ...lines: string[]): Buffer[] =>
    pieces(line, 'Host: fuzz', ...credentials, ...lines, '', '');
  const json = 'Content-Type: application/json';
  const usual = `${method} ${target} HTTP/1.1`;
  const whole = (kind: string, sent: Buffer[]): Case => ({ kind, pieces: sent, requests, expects: 'end' });
  const open = (kind: string, sent: Buffer[]): Case => ({ kind, pieces: sent, requests, expects: 'nothing' });
  return random.pick<() => Case>([
    () => whole('absolute form', head(`${method} http://other.example${target} HTTP/1.1`)),
    () =>
      whole(
        'absolute form',
        head(`${method} ${random.pick(['http://', 'https://[::1', 'http://a b/', 'ftp://x/', '//', '*'])} HTTP/1.1`),
      ),
    () =>
      whole(
        'HTTP/1.0',
        pieces(
          `${method} ${target} HTTP/1.0`,
          ...credentials,
          ...(random.chance(0.5) ? ['Connection: keep-alive'] : []),
          '',
          '',
        ),
      ),
    () => open('HTTP/0.9', pieces(`GET ${target}`, '')),
    () => whole('versions', head(`${method} ${target} HTTP/${random.pick(['2.0', '1.2', '9.9', '1', 'x', ''])}`)),
    () => {
      const other = random.pick([
        'TRACE',
        'CONNECT',
        'QUERY',
        'SEARCH',
        'PROPFIND',
        'PURGE',
        'get',
        'FOO',
        'M-SEARCH',
        'LINK',
        'OPTIONS',
        'HEAD',
      ]);
      return {
        ...whole('methods', head(`${other} ${target} HTTP/1.1`, 'Content-Length: 0')),
        requests: [{ operation, method: other }],
      };
    },
    () =>
      whole(
        'chunked',
        head(
          usual,
          json,
          'Transfer-Encoding: chunked',
          '',
          `2;x=${'y'.repeat(random.below(100))}`,
          '{}',
          '0',
          'Trailer: x',
        ),
      ),
    () =>
      whole(
        'chunked',
        head(
          usual,
          json,
          'Transfer-Encoding: chunked',
          '',
          random.pick(['2\r\n{}\r\n0', 'g\r\n{}', '-1\r\n', '00000002\r\n{}\r\n0', '2 \r\n{}\r\n0']),
        ),
      ),
    () =>
      whole(
        'TE and CL',
        head(
          usual,
          json,
          'Content-Length: 4',
          'Transfer-Encoding: chunked',
          '',
          '0',
          '',
          'GET /health/live HTTP/1.1',
          'Host: smuggled',
        ),
      ),
    () =>
      whole(
        'TE and CL',
        head(
          usual,
          json,
          `Transfer-Encoding: ${random.pick(['chunked, identity', 'identity', 'gzip, chunked', 'xchunked', 'chunked\r\nTransfer-Encoding: x', '\tchunked'])}`,
          '',
          '0',
          '',
        ),
      ),
    () => whole('lengths', head(usual, json, 'Content-Length: 2', `Content-Length: ${random.pick([2, 3])}`, '', '{}')),
    () =>
      whole(
        'lengths',
        head(
          usual,
          json,
          `Content-Length: ${random.pick(['-1', '+2', '0x2', '2,2', '99999999999999999999', '1e2', ' ', 'x'])}`,
          '',
          '{}',
        ),
      ),
    () => open('cut bodies', head(usual, json, `Content-Length: ${1 + random.below(5_000)}`, '', '{')),
    () => open('cut bodies', head(usual, json, 'Transfer-Encoding: chunked', '', '5', 'ab')),
    () => open('cut bodies', head(usual, json, 'Transfer-Encoding: chunked', '', 'ffffffffffffffff', '{}')),
    () => whole('line ends', [Buffer.from(`${usual}\nHost: fuzz\n${credentials.join('\n')}\n\n`, 'latin1')]),
    () =>
      whole('line ends', [
        Buffer.from(`\r\n\r\n${usual}\r\nHost: fuzz\r\n${credentials.join('\r\n')}\r\n\r\n`, 'latin1'),
      ]),
    () =>
      whole('line ends', [
        Buffer.from(`${usual}\r\nHost: fuzz\rX: y\r\n${credentials.join('\r\n')}\r\n\r\n`, 'latin1'),
      ]),
    () =>
      open('prefaces', [
        random.pick([
          Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
          Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1]),
          Buffer.alloc(64),
          Buffer.from('SSH-2.0-x\r\n'),
        ]),
      ]),
    () => open('binary', [Buffer.from(Array.from({ length: random.below(600) }, () => random.below(256)))]),
    () =>
      open(
        'long lines',
        pieces(`${method} ${target}${'a'.repeat(random.below(70_000))} HTTP/1.1`, 'Host: fuzz', '', ''),
      ),
    () =>
      whole(
        'paths',
        head(
          `${method} ${random.pick([
            ...[
              '/',
              '//',
              '/.',
              '/..',
              '/../..',
              '/%',
              '/%00',
              '/%2e%2e/',
              '/api',
              '/api/',
              '/api/v1',
              '/api/v1//updates/check',
              '/?',
              '/#',
              '/api/health/x',
              '/health/',
              '/metrics/x',
            ],
            ...[
              '/openapi/../x',
              '/console/..%2f..%2fetc',
              '/console/%00',
              '/svc/v1',
              '/docs?x=%',
              `/${'a/'.repeat(3_000)}`,
              `${target}%ff`,
              target.toUpperCase(),
              `${target}/`,
              `/${characters(random, 8)}`.replaceAll(/[^\x21-\x7e]/g, '%c3'),
              '/caf\xe9',
            ],
          ])} HTTP/1.1`,
        ),
      ),
    () =>
      whole(
        'GET with a body',
        head(`GET ${target} HTTP/1.1`, json, 'Content-Length: 2', '', '{}').map((bytes) => bytes.subarray(0, -4)),
      ),
  ])();
};

const KINDS: readonly (readonly [weight: number, make: Make])[] = [
  ...([
    [25, described],
    [6, json],
    [6, form],
    [20, pipeline],
    [5, dribbled],
    [6, halfClosed],
    [12, headers],
  ] as const),
  ...([
    [8, ranges],
    [12, framing],
  ] as const),
];
const TURNS = KINDS.flatMap(([weight, make]) => Array<Make>(weight).fill(make));

/** The same case for the same source of numbers. */
export function makeCase(source: CaseSource, random: Random): Case {
  return random.pick(TURNS)(source, random);
}
