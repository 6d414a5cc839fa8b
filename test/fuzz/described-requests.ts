import type { Random } from '../faults/random';
import { PLANES, type PlaneName } from './operations';
import type { Given } from './requests';
import { fits, fittingValue, violatingValue, type DataSchema } from './schema-data';

export interface DescribedOperation {
  readonly plane: PlaneName;
  readonly id: string;
  readonly method: string;
  /** With the base of its plane and `{parameters}`. */
  readonly path: string;
  readonly parameters: readonly DescribedParameter[];
  readonly body?: { readonly required: boolean; readonly schema: DataSchema };
  readonly form?: DataSchema;
  /** No credential is needed apart from what the request itself holds. */
  readonly open: boolean;
  /** All that its description says, and that of its plane. */
  readonly text: string;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: DataSchema;
}

/** A request of which it is known whether it holds to the description of its operation. */
export interface DescribedRequest {
  readonly operation: DescribedOperation;
  readonly target: string;
  /** Names and values in turn; values in Latin-1. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** Undefined: it fits. Else the place that does not. */
  readonly wrong?: Place;
}

type Place = 'body' | 'form' | `${'path' | 'query' | 'header'} ${string}`;

/**
 * What there is, by the name of the parameter or member; requests that take something away never name the first. The
 * path parameter `key` is `signing_key` where it is one.
 */
export type KnownIds = Readonly<Record<string, readonly string[]>>;

interface Described {
  readonly info: { readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedMethod>>>>;
}

interface DescribedMethod {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters: readonly DescribedParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: DataSchema }>>;
  };
}

/** Every operation of the four descriptions that the server at this address serves. */
export async function readDescribed(address: string): Promise<readonly DescribedOperation[]> {
  const operations = await Promise.all(
    PLANES.map(async (plane) => {
      const response = await fetch(`${address}/openapi/${plane}.json`);
      const { info, servers, paths } = (await response.json()) as Described;
      const base = new URL(servers[0]?.url ?? '', address).pathname;
      return Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, described]): DescribedOperation => {
          const { operationId: id, parameters, requestBody } = described;
          const json = requestBody?.content['application/json'];
          const form = requestBody?.content['multipart/form-data'];
          return {
            ...{ plane, id, method: method.toUpperCase(), path: `${base}${path}`, parameters },
            ...(json && { body: { required: requestBody.required, schema: json.schema } }),
            ...(form && { form: form.schema }),
            open: described.security.length === 0,
            text: `${info.description} ${JSON.stringify(described)}`,
          };
        }),
      );
    }),
  );
  return operations.flat();
}

/** A request that fits the description in every place. */
export function fittingRequest(
  operation: DescribedOperation,
  random: Random,
  given: Given,
  ids: KnownIds,
): DescribedRequest {
  return build(operation, random, given, ids, undefined);
}

/** A request that fits but for one place; undefined: nothing can be said that does not fit. */
export function violatingRequest(
  operation: DescribedOperation,
  random: Random,
  given: Given,
  ids: KnownIds,
): DescribedRequest | undefined {
  const places: Place[] = [
    ...operation.parameters.map(({ in: where, name }): Place => `${where} ${name}`),
    ...(operation.body === undefined ? [] : (['body', 'body', 'body'] as const)),
    ...(operation.form === undefined ? [] : (['form', 'form'] as const)),
  ];
  if (places.length === 0) return undefined;
  const wrong = random.pick(places);
  const request = build(operation, random, given, ids, wrong);
  return request.wrong === undefined ? undefined : request;
}

function build(
  operation: DescribedOperation,
  random: Random,
  given: Given,
  ids: KnownIds,
  wanted: Place | undefined,
): DescribedRequest {
  const spoiledPlaces: Place[] = [];
  const textOf = (parameter: DescribedParameter): string | undefined => {
    const place: Place = `${parameter.in} ${parameter.name}`;
    if (place === wanted) {
      const spoiled = spoiledText(parameter, random);
      if (spoiled !== NOTHING) {
        spoiledPlaces.push(place);
        return spoiled;
      }
    }
    if (parameter.in === 'path') return pathText(operation, parameter, random, ids, wanted !== undefined);
    const known = operation.open ? ids[parameter.name]?.[0] : undefined;
    if (known !== undefined && random.chance(0.8)) return known;
    return parameter.required || random.chance(0.5) ? parameterText(parameter, random) : undefined;
  };
  const texts = operation.parameters.map((parameter) => [parameter, textOf(parameter)] as const);
  const target = texts
    .filter(([{ in: where }]) => where === 'path')
    .reduce((path, [{ name }, text]) => path.replace(`{${name}}`, encodeURIComponent(text ?? '')), operation.path);
  const query = texts.flatMap(([{ in: where, name }, text]) =>
    where === 'query' && text !== undefined ? [`${name}=${encodeURIComponent(text)}`] : [],
  );
  const headers = texts.flatMap(([{ in: where, name }, text]) =>
    where === 'header' && text !== undefined ? [[name, Buffer.from(text).toString('latin1')] as const] : [],
  );
  const { body, type, spoiled } = bodyOf(operation, random, given, ids, wanted);
  if (spoiled !== undefined) spoiledPlaces.push(spoiled);
  const [wrong] = spoiledPlaces;
  return {
    operation,
    target: query.length === 0 ? target : `${target}?${query.join('&')}`,
    headers: [
      ...credentialOf(operation, given),
      ...headers,
      ...(type === undefined ? [] : ([['Content-Type', type]] as const)),
    ],
    body,
    ...(wrong !== undefined && { wrong }),
  };
}

function credentialOf({ plane, open }: DescribedOperation, { token, ownerKey, apiKey }: Given): [string, string][] {
  if (open) return [];
  if (plane === 'device') return [['X-API-Key', apiKey]];
  return [['Authorization', `Bearer ${plane === 'management' ? token : ownerKey}`]];
}

const TAKES_AWAY = /^(DELETE|PATCH|POST|PUT)$/;

function pathText(
  operation: DescribedOperation,
  { name, schema }: DescribedParameter,
  random: Random,
  ids: KnownIds,
  mustBeThere: boolean,
): string {
  const known = ids[operation.path.includes('/signing-keys/') && name === 'key' ? 'signing_key' : name] ?? [];
  const isOwn = operation.path.endsWith(`{${name}}`);
  const spares =
    TAKES_AWAY.test(operation.method) && (['key', 'token', 'owner'].includes(name) || (isOwn && name !== 'device'));
  const choices = spares && operation.id !== 'editApp' && operation.id !== 'editBuild' ? known.slice(1) : known;
  // What belongs to an app is looked for in the first one.
  if (name === 'app' && !isOwn) return known[0] ?? '1';
  if (mustBeThere || operation.open) return known[0] ?? '999999';
  if (choices.length > 0 && random.chance(0.9)) return random.pick(choices);
  return spares && schema.pattern === undefined ? '999999' : pathSafe(String(fittingValue(schema, random)));
}

/** Nothing that a proxy or a router reads as more than a name. */
const pathSafe = (text: string): string => (/^\.{0,2}$/.test(text) ? 'x' : text);

function parameterText({ in: where, schema }: DescribedParameter, random: Random): string {
  for (;;) {
    const text = String(fittingValue(schema, random));
    if (where !== 'header') return text;
    const carried = headerText(text);
    if (fits(schema, carried)) return carried;
  }
}

/** What of a text reaches the other side in a header. */
// eslint-disable-next-line no-control-regex -- those of ASCII
const headerText = (text: string): string => text.replaceAll(/[\x00-\x1f\x7f]/g, '').replaceAll(/^[ \t]+|[ \t]+$/g, '');

/** Every text fits. */
const NOTHING = Symbol('nothing');

const WRONG_NUMBERS = ['x', '', '1.5', '-1', '0', '1e3', '0x1', ' 1', '１', 'null', `${2 ** 60}`];

/** A text that the parameter does not take; undefined: it is left out although it is required. */
function spoiledText(parameter: DescribedParameter, random: Random): string | undefined | typeof NOTHING {
  const { in: where, required, schema } = parameter;
  if (where !== 'path' && required && random.chance(0.2)) return undefined;
  if (schema.type === 'integer') {
    const texts = [...WRONG_NUMBERS, ...(schema.maximum === undefined ? [] : [String(schema.maximum + 1)])];
    const wrong = texts.filter((text) => !/^\d+$/.test(text) || !fits(schema, Number(text)));
    return random.pick(where === 'path' ? wrong.filter((text) => text !== '') : wrong);
  }
  for (let tries = 0; tries < 20; tries += 1) {
    const { value } = violatingValue(schema, random) ?? {};
    if (typeof value !== 'string') continue;
    const text = where === 'header' ? headerText(value) : value;
    if (fits(schema, text) || (where === 'path' && pathSafe(text) !== text)) continue;
    return text;
  }
  return NOTHING;
}

interface BuiltBody {
  readonly body: Buffer;
  readonly type?: string;
  readonly spoiled?: Place;
}

function bodyOf(
  { plane, body, form }: DescribedOperation,
  random: Random,
  { bundle, ownerKey }: Given,
  ids: KnownIds,
  wanted: Place | undefined,
): BuiltBody {
  if (form !== undefined) return formOf(form, random, bundle, wanted === 'form');
  if (body === undefined) return { body: Buffer.alloc(0) };
  const type = random.pick(['application/json', 'application/json', 'application/json; charset=utf-8']);
  if (wanted === 'body') {
    if (body.required && random.chance(0.1)) return { body: Buffer.alloc(0), spoiled: 'body' };
    const wrong = violatingValue(body.schema, random);
    if (wrong !== undefined) return { body: Buffer.from(JSON.stringify(wrong.value)), type, spoiled: 'body' };
  }
  if (!body.required && random.chance(0.2)) return { body: Buffer.alloc(0) };
  const value = fittingValue(body.schema, random) as Record<string, unknown>;
  const known = {
    ...(plane === 'device' && 'bundle_id' in value && { bundle_id: ids['bundle_id']?.[0] }),
    ...('owner_key' in value && { owner_key: ownerKey }),
  };
  return { body: Buffer.from(JSON.stringify(random.chance(0.7) ? { ...value, ...known } : value)), type };
}

const FILE = 'file';

/** Fields as text, in any order, and one file. */
function formOf(schema: DataSchema, random: Random, bundle: Buffer, spoil: boolean): BuiltBody {
  const fields = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => name !== FILE));
  const required = (schema.required ?? []).filter((name) => name !== FILE);
  const values = fittingValue({ type: 'object', properties: fields, required }, random) as Record<string, unknown>;
  const parts = new Map(
    Object.keys(fields).flatMap((name) => (name in values ? [[name, fieldText(values[name])] as const] : [])),
  );
  let withFile = true;
  if (spoil) {
    const name = random.pick([FILE, ...Object.keys(fields)]);
    const wrong = name === FILE ? undefined : spoiledField(fields[name]!, random);
    if (name === FILE) withFile = false;
    else if (required.includes(name) && random.chance(0.2)) parts.delete(name);
    else if (wrong !== undefined) parts.set(name, wrong);
    else withFile = false;
  }
  const boundary = 'fuzz-boundary';
  const field = ([name, value]: readonly [string, string]) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  const file = Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${FILE}"; filename="b.zip"\r\n\r\n`),
    bundle,
    Buffer.from('\r\n'),
  ]);
  return {
    body: Buffer.concat([...[...parts].map(field), ...(withFile ? [file] : []), Buffer.from(`--${boundary}--\r\n`)]),
    type: `multipart/form-data; boundary=${boundary}`,
    ...(spoil && { spoiled: 'form' as const }),
  };
}

/** A part that is an object is JSON. */
function fieldText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Of a boolean, `1` and `0` are taken besides: the description says so. */
function spoiledField(schema: DataSchema, random: Random): string | undefined {
  if (schema.type === 'boolean') return random.pick(['yes', '', 'TRUE', '2', 'null']);
  if (schema.type === 'object') {
    const wrong = violatingValue(schema, random);
    return wrong && random.pick([JSON.stringify(wrong.value), '', '{', '[']);
  }
  const text = spoiledText({ name: '', in: 'query', required: false, schema }, random);
  return text === NOTHING ? undefined : text;
}
