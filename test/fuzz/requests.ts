import type { Random } from '../faults/random';
import { endsAccess, targetOf, type Operation } from './operations';
import { brokenJson, characters, jsonOf, oddWord } from './values';

/** What a request needs to be taken. */
export interface Given {
  readonly token: string;
  readonly ownerKey: string;
  readonly apiKey: string;
  /** A zip archive that the server takes. */
  readonly bundle: Buffer;
}

/** One request whose framing is right, whatever it says. */
export interface BuiltRequest {
  readonly method: string;
  readonly target: string;
  readonly operation: Operation;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

export type BodyKind = 'described' | 'broken' | 'form' | 'none';

export function buildRequest(
  operation: Operation,
  random: Random,
  given: Given,
  kind: BodyKind = random.chance(0.9) ? 'described' : 'broken',
): BuiltRequest {
  const { body, type } = bodyOf(operation, random, kind, given);
  const headers = [
    ...(endsAccess(operation) ? [] : credentialOf(operation, random, given)),
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...(operation.method === 'POST' && random.chance(0.05) ? [`Idempotency-Key: ${random.below(50)}`] : []),
  ];
  return { method: operation.method, target: targetOf(operation, random), operation, headers, body };
}

/** Of a request with a Host and the length of its body. */
export function bytesOf({ method, target, headers, body }: BuiltRequest, more: readonly string[] = []): Buffer {
  const length = body.length > 0 || method !== 'GET' ? [`Content-Length: ${body.length}`] : [];
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: fuzz', ...headers, ...more, ...length, '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body]);
}

function credentialOf({ plane }: Operation, random: Random, { token, ownerKey, apiKey }: Given): string[] {
  if (random.chance(0.02)) return [];
  if (random.chance(0.02))
    return [`Authorization: ${random.pick(['Bearer', 'Basic x', 'Bearer a b', `Bearer ${apiKey}`])}`];
  switch (plane) {
    case 'management':
      return [`Authorization: Bearer ${token}`];
    case 'dashboard':
      return [`Authorization: Bearer ${ownerKey}`];
    case 'listings-ads':
      return [`Authorization: Bearer ${random.chance(0.5) ? token : ownerKey}`];
    case 'device':
      return [
        `X-API-Key: ${apiKey}`,
        `X-Device-ID: ${random.chance(0.9) ? `device-${random.below(1_000)}` : headerText(oddWord(random))}`,
        `X-Current-Version: ${random.pick(['1.0.0', '0.0.1', '9', 'v1.2.3-rc.1', '', 'x'])}`,
        `X-Bundle-Version: ${random.pick(['1.0.0', '2.0.0', ' ', 'x'])}`,
        `X-Platform: ${random.pick(['ios', 'android', 'web', 'all', 'IOS', ''])}`,
      ];
  }
}

/** In UTF-8, without characters that a header can't hold. */
export const headerText = (text: string): string =>
  // eslint-disable-next-line no-control-regex -- those of ASCII
  Buffer.from(text.replaceAll(/[\x00-\x1f\x7f]/g, ' ')).toString('latin1');

function bodyOf(
  operation: Operation,
  random: Random,
  kind: BodyKind,
  { bundle }: Given,
): { body: Buffer; type?: string } {
  if (operation.method === 'GET' && random.chance(0.95)) return { body: Buffer.alloc(0) };
  if (kind === 'none') return { body: Buffer.alloc(0) };
  if (kind === 'form' || (operation.form !== undefined && random.chance(0.9))) return formOf(operation, random, bundle);
  const body =
    kind === 'broken'
      ? brokenJson(random)
      : Buffer.from(jsonOf(operation.body ?? { type: 'object' }, random, operation.resolve));
  const type = random.chance(0.95)
    ? 'application/json'
    : random.pick([
        'text/plain',
        'application/json; charset=utf-16',
        'application/x+json',
        'multipart/form-data',
        'x',
        '/',
      ]);
  return { body, type };
}

/** A form with traps: names and values of any kind, parts doubled, cut, misnamed, or without an end. */
function formOf(operation: Operation, random: Random, bundle: Buffer): { body: Buffer; type: string } {
  const boundary = random.pick(['b', 'b', 'b', 'x'.repeat(70), '--', '', 'a b', '"q"']);
  const fields = Object.keys(operation.form?.properties ?? { version: {}, channel: {} }).filter(
    (name) => name !== 'file',
  );
  const parts = fields
    .filter(() => random.chance(0.8))
    .map((name) => part(boundary, name, Buffer.from(fieldOf(name, random)), random));
  const file = random.pick([
    bundle,
    bundle,
    Buffer.from('PK\u0003\u0004rest'),
    Buffer.from(characters(random, 40)),
    Buffer.alloc(0),
  ]);
  const files = Array.from({ length: random.pick([1, 1, 1, 0, 2]) }, () =>
    part(
      boundary,
      'file',
      file,
      random,
      `; filename="${random.pick(['b.zip', '', '../b.zip', 'a\0.zip', 'é.zip', 'x'.repeat(300)])}"`,
    ),
  );
  const many = random.chance(0.03)
    ? Array.from({ length: 200 }, (_, n) => part(boundary, `f${n}`, Buffer.from('x'), random))
    : [];
  const whole = Buffer.concat([...parts, ...many, ...files, Buffer.from(`--${boundary}--\r\n`)]);
  const body = random.chance(0.15) ? whole.subarray(0, random.below(whole.length)) : whole;
  const declared = random.chance(0.95) ? boundary : random.pick(['other', '', 'b; charset=utf-16']);
  return { body, type: `multipart/form-data; boundary=${declared}` };
}

function fieldOf(name: string, random: Random): string {
  if (random.chance(0.2)) return oddWord(random);
  const usual: Readonly<Record<string, string>> = {
    version: `${random.below(50)}.${random.below(50)}.${random.below(1_000)}`,
    channel: random.pick(['production', 'staging', 'development']),
    rollout_percentage: '50',
    mandatory: 'false',
    min_native_version: '1.0',
    signature: '',
  };
  return usual[name] ?? 'text';
}

function part(boundary: string, name: string, value: Buffer, random: Random, more = ''): Buffer {
  const line = random.pick([
    ...Array<string>(20).fill(`Content-Disposition: form-data; name="${name}"${more}`),
    `Content-Disposition: form-data; name=${name}${more}`,
    `Content-Disposition: form-data; name*=utf-8''%00${name}${more}`,
    'Content-Disposition: form-data',
    `X: ${'y'.repeat(20_000)}`,
    'Content-Transfer-Encoding: base64',
    '',
  ]);
  return Buffer.concat([Buffer.from(`--${boundary}\r\n${line}\r\n\r\n`), value, Buffer.from('\r\n')]);
}
