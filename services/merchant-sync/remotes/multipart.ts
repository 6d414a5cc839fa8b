import { randomUUID } from 'node:crypto';

/** A request within a batch. */
export interface PartRequest {
  readonly method: 'POST' | 'DELETE';
  /** From the root, with its query. */
  readonly path: string;
  readonly json?: object;
}

/** An answer within the answer to a batch. */
export interface PartAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

const LINE = '\r\n';

/** A multipart/mixed body of HTTP requests, each named by its place. */
export function multipartOf(parts: readonly PartRequest[]): { readonly type: string; readonly text: string } {
  const boundary = `sluice-${randomUUID()}`;
  const texts = parts.map(({ method, path, json }, index) => {
    const body = json === undefined ? undefined : JSON.stringify(json);
    return [
      `--${boundary}`,
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      `Content-ID: <part-${index}>`,
      '',
      `${method} ${path} HTTP/1.1`,
      ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
      '',
      body ?? '',
      '',
    ].join(LINE);
  });
  return { type: `multipart/mixed; boundary=${boundary}`, text: `${texts.join('')}--${boundary}--${LINE}` };
}

/** The answers by the places of their requests; undefined when the text is no multipart/mixed. */
export function answersIn(type: string, text: string): ReadonlyMap<number, PartAnswer> | undefined {
  const [, quoted, plain] = /^multipart\/mixed\s*[;,].*?boundary=(?:"([^"]+)"|([^\s;,]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return undefined;
  const answers = new Map<number, PartAnswer>();
  const parts = `\n${text}`.split(`\n--${boundary}`).slice(1);
  for (const [place, part] of parts.entries()) {
    if (part.startsWith('--')) break;
    const outer = cut(part.replace(/^[ \t]*\r?\n/, ''));
    const inner = cut(outer.rest);
    const [, status] = /^HTTP\/\S+ (\d{3})/.exec(inner.head) ?? [];
    if (status === undefined) continue;
    const [, named] = /(\d+)>?\s*$/.exec(header(outer.head, 'content-id') ?? '') ?? [];
    const retryAfter = header(inner.head, 'retry-after');
    answers.set(Number(named ?? place), { status: Number(status), retryAfter, body: inner.rest });
  }
  return answers;
}

/** At the first empty line. */
function cut(text: string): { readonly head: string; readonly rest: string } {
  const found = /\r?\n\r?\n/.exec(text);
  if (found === null) return { head: text, rest: '' };
  return { head: text.slice(0, found.index), rest: text.slice(found.index + found[0].length) };
}

function header(head: string, name: string): string | undefined {
  const line = head.split(/\r?\n/).find((candidate) => candidate.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}
