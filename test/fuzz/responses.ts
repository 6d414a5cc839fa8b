export interface Answer {
  readonly status: number;
  /** By name in small letters. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** What has come so far: whole answers, and whether more of one is due. */
export interface Heard {
  readonly answers: readonly Answer[];
  /** Bytes that are no whole answer yet. */
  readonly rest: number;
  /** An answer that never ends has begun, such as a stream of events. */
  readonly endless: boolean;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Reads the answers out of the bytes of one connection.
 * @param methods of the requests in their order: an answer to HEAD has no body
 * @param ended whether the server has ended the connection, and with it a body without a length
 * @throws Error for bytes that are no HTTP answer
 */
export function readAnswers(bytes: Buffer, methods: readonly string[], ended: boolean): Heard {
  const answers: Answer[] = [];
  let at = 0;
  for (;;) {
    const end = bytes.indexOf(HEAD_END, at);
    if (at === bytes.length || end === -1) return { answers, rest: bytes.length - at, endless: false };
    const { status, headers } = readHead(bytes.toString('latin1', at, end));
    const begin = end + HEAD_END.length;
    if (status < 200) {
      at = begin;
      continue;
    }
    if (headers.get('content-type')?.startsWith('text/event-stream') === true) {
      answers.push({ status, headers, body: Buffer.alloc(0) });
      return { answers, rest: 0, endless: true };
    }
    const read = readBody(bytes, begin, status, headers, methods[answers.length], ended);
    if (read === undefined) return { answers, rest: bytes.length - at, endless: false };
    answers.push({ status, headers, body: read.body });
    at = read.end;
  }
}

function readHead(text: string): Pick<Answer, 'status' | 'headers'> {
  const [first = '', ...lines] = text.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${first} `)?.[1]);
  if (Number.isNaN(status)) throw new Error(`This is no HTTP answer: ${JSON.stringify(first.slice(0, 200))}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) throw new Error(`This is no header: ${JSON.stringify(line.slice(0, 200))}`);
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status, headers };
}

function readBody(
  bytes: Buffer,
  begin: number,
  status: number,
  headers: Answer['headers'],
  method: string | undefined,
  ended: boolean,
): { readonly body: Buffer; readonly end: number } | undefined {
  const isBodiless = method === 'HEAD' && !(bytes.length > begin && isLastWord(status, headers));
  if (isBodiless || status === 204 || status === 304) return { body: Buffer.alloc(0), end: begin };
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(bytes, begin);
  const length = headers.get('content-length');
  if (length === undefined) return ended ? { body: bytes.subarray(begin), end: bytes.length } : undefined;
  const end = begin + Number(length);
  return end > bytes.length ? undefined : { body: bytes.subarray(begin, end), end };
}

function readChunks(bytes: Buffer, begin: number): { readonly body: Buffer; readonly end: number } | undefined {
  const chunks: Buffer[] = [];
  for (let at = begin; ;) {
    const line = bytes.indexOf('\r\n', at, 'latin1');
    if (line === -1) return undefined;
    const size = parseInt(bytes.toString('latin1', at, line), 16);
    if (Number.isNaN(size)) throw new Error('A chunk of an answer has no size.');
    const end = line + 2 + size + 2;
    if (end > bytes.length) return undefined;
    if (size === 0) return { body: Buffer.concat(chunks), end };
    chunks.push(bytes.subarray(line + 2, line + 2 + size));
    at = end;
  }
}

/** What is said to bytes that are no request, before anyone knows their method, has a body. */
const isLastWord = (status: number, headers: Answer['headers']): boolean =>
  status === 400 && headers.get('connection') === 'close';
