import { UNCACHED } from '@sluice/http';

/** A response whose bytes are prepared once and sent for every equal request. */
export interface PreparedAnswer {
  readonly status: number;
  /** Names and values in turn: Node takes them far faster than an object. */
  readonly headers: readonly string[];
  /** JSON in ASCII: the quickest for a socket to write. */
  readonly body: string;
  /** The body again, where it is long: head and body as one string would be copied for every response. */
  readonly bytes?: Buffer;
}

export function prepareAnswer(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): PreparedAnswer {
  const ascii = asciiJson(body);
  const all = {
    'Content-Type': 'application/json; charset=utf-8',
    ...UNCACHED,
    'Content-Length': String(ascii.length),
    Vary: 'Origin',
    ...headers,
  };
  return { status, headers: Object.entries(all).flat(), body: ascii };
}

/** JSON without a character beyond ASCII. */
export function asciiJson(body: object): string {
  return JSON.stringify(body).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
