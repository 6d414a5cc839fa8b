import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { Random } from '../faults/random';
import { characters } from './values';

/** JSON Schema 2020-12, as far as the descriptions of requests use it; without references. */
export interface DataSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly propertyNames?: DataSchema;
  readonly additionalProperties?: boolean | DataSchema;
  readonly items?: DataSchema;
  readonly properties?: Readonly<Record<string, DataSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly DataSchema[];
  readonly not?: DataSchema;
}

const ajv = addFormats(new Ajv2020({ strict: false }));
const validators = new WeakMap<object, ValidateFunction>();
const matching = new Map<string, fc.Arbitrary<string>>();
const TRIES = 200;
/** Nothing that the server is asked to send leaves this machine. */
const ADDRESSES = [
  'https://127.0.0.1:1/hook',
  'http://localhost:1/',
  '  HTTPS://127.0.0.1:1/?a=b#c ',
  'http://[::1]:1',
];
const ODD_VALUES = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  1e300,
  '',
  'x',
  ' ',
  '💥',
  '1',
  'true',
  [],
  [[]],
  {},
  { a: 1 },
];

/** Whether a value fits a schema, formats included. */
export function fits(schema: DataSchema, value: unknown): boolean {
  const validate = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, validate);
  return validate(value);
}

/** A value that fits the schema. @throws Error when none was found */
export function fittingValue(schema: DataSchema, random: Random): unknown {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const value = attempt(schema, random);
    if (fits(schema, value)) return value;
  }
  throw new Error(`No value was found that fits ${JSON.stringify(schema).slice(0, 500)}`);
}

/** A value that fits the schema but for one place; undefined: every value fits, or none was found that does not. */
export function violatingValue(schema: DataSchema, random: Random): { readonly value: unknown } | undefined {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const value = spoiled(schema, random);
    if (value !== undefined && !fits(schema, value)) return { value };
  }
  return undefined;
}

function attempt(schema: DataSchema, random: Random): unknown {
  if (schema.enum !== undefined) return random.pick(schema.enum);
  if ('const' in schema) return schema.const;
  if (schema.anyOf !== undefined) {
    const { anyOf, ...rest } = schema;
    const chosen = random.pick(anyOf);
    return attempt({ ...rest, ...chosen, required: [...(rest.required ?? []), ...(chosen.required ?? [])] }, random);
  }
  const type = typeof schema.type === 'object' ? random.pick(schema.type) : (schema.type ?? 'object');
  switch (type) {
    case 'object':
      return attemptObject(schema, random);
    case 'array':
      return attemptArray(schema, random);
    case 'string':
      return attemptText(schema, random);
    case 'integer':
    case 'number':
      return attemptNumber(schema, type, random);
    case 'boolean':
      return random.chance(0.5);
    default:
      return null;
  }
}

function attemptObject(schema: DataSchema, random: Random): unknown {
  const { properties = {}, required = [], maxProperties } = schema;
  if (maxProperties === 0) return {};
  if (isMap(schema)) return Object.fromEntries(pairsOf(schema, random.pick([0, 1, 3, maxProperties ?? 3]), random));
  const share = random.pick([0, 0.3, 0.9]);
  const wanted = Object.entries(properties).filter(
    ([name, { not }]) => not === undefined && (required.includes(name) || random.chance(share)),
  );
  const members = wanted.map(([name, inner]) => [name, fittingValue(inner, random)] as const);
  const unknown = random.chance(0.1) ? { [`x_${random.below(9)}`]: random.pick(ODD_VALUES) } : {};
  return { ...Object.fromEntries(members), ...unknown };
}

interface MapSchema extends DataSchema {
  readonly additionalProperties: DataSchema;
}

/** Whether it is of an object whose members have any names. */
function isMap(schema: DataSchema): schema is MapSchema {
  return typeof schema.additionalProperties === 'object' && schema.properties === undefined;
}

function pairsOf(
  { propertyNames = { type: 'string' }, additionalProperties }: MapSchema,
  count: number,
  random: Random,
) {
  return Array.from({ length: count }, (): readonly [string, unknown] => [
    String(fittingValue({ type: 'string', ...propertyNames }, random)),
    fittingValue(additionalProperties, random),
  ]);
}

function attemptArray({ items = {}, minItems = 0, maxItems = 8 }: DataSchema, random: Random): unknown[] {
  const most = random.chance(0.03) ? maxItems : Math.min(maxItems, minItems + 3);
  const count = random.chance(0.5) ? most : minItems + random.below(most - minItems + 1);
  return Array.from({ length: count }, () => fittingValue(items, random));
}

function attemptText(schema: DataSchema, random: Random): string {
  const { format, pattern, minLength = 0, maxLength = minLength + 60 } = schema;
  if (format === 'uri') return random.pick(ADDRESSES);
  if (random.chance(0.7) && (format === 'date' || format === 'date-time')) return textOfTime(format, random);
  if (pattern !== undefined && random.chance(0.9)) return textMatching(pattern, random);
  const length = random.pick([
    minLength,
    minLength + 1,
    maxLength,
    minLength + random.below(maxLength - minLength + 1),
  ]);
  const filling = random.pick([
    () => 'x'.repeat(length),
    () => '💥'.repeat(length),
    () => Array.from(characters(random, length)).slice(0, length).join(''),
    () => ` ${'é'.repeat(Math.max(0, length - 2))} `.slice(0, length),
  ])();
  return filling;
}

/** Up to a year and some before or behind today. */
function textOfTime(format: 'date' | 'date-time', random: Random): string {
  const time = new Date(Date.now() + (random.below(800) - 400) * 86_400_000).toISOString();
  return format === 'date' ? time.slice(0, 10) : time;
}

function textMatching(pattern: string, random: Random): string {
  const texts = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'), { size: 'medium' });
  matching.set(pattern, texts);
  const [text = ''] = fc.sample(texts, { numRuns: 1, seed: random.below(2 ** 31) });
  return text;
}

function attemptNumber(schema: DataSchema, type: 'integer' | 'number', random: Random): number {
  const least = schema.minimum ?? (schema.exclusiveMinimum === undefined ? -1_000 : schema.exclusiveMinimum + 1);
  const most = schema.maximum ?? least + 2_000;
  const between = least + random.below(Math.min(2 ** 31, most - least + 1));
  if (type === 'number' && random.chance(0.5)) return Math.min(most, between + random.below(1_000) / 1_000);
  return random.pick([least, most, between]);
}

/** Undefined: there is nothing here to spoil. */
function spoiled(schema: DataSchema, random: Random): unknown {
  const inward = random.chance(0.6) ? spoiledInside(schema, random) : undefined;
  if (inward !== undefined) return inward;
  const { maxLength, minLength = 0, minimum, maximum, maxItems, minItems = 0, items } = schema;
  return random.pick<() => unknown>([
    () => random.pick(ODD_VALUES),
    () => characters(random, random.below(30)),
    ...(maxLength === undefined ? [] : [() => '💥'.repeat(maxLength + 1), () => '1'.repeat(maxLength + 1)]),
    ...(minLength > 0 ? [() => 'x'.repeat(minLength - 1)] : []),
    ...(minimum === undefined ? [] : [() => minimum - 1]),
    ...(maximum === undefined ? [] : [() => maximum + 1, () => maximum + 0.5]),
    ...(maxItems === undefined || items === undefined
      ? []
      : [() => Array.from({ length: maxItems + 1 }, () => fittingValue(items, random))]),
    ...(minItems > 0 ? [() => []] : []),
  ])();
}

function spoiledInside(schema: DataSchema, random: Random): unknown {
  if (schema.anyOf !== undefined && schema.properties === undefined) return spoiled(random.pick(schema.anyOf), random);
  if (schema.items !== undefined) {
    const wrong = violatingValue(schema.items, random);
    const others = attemptArray({ ...schema, maxItems: 2 }, random);
    return wrong === undefined ? undefined : [...others, wrong.value];
  }
  if (isMap(schema)) return spoiledMap(schema, random);
  const { properties } = schema;
  if (properties === undefined) return undefined;
  const whole = attemptObject(schema, random) as Record<string, unknown>;
  const name = random.pick(Object.keys(properties));
  const member = properties[name]!;
  if (random.chance(0.3)) {
    const left = random.pick(Object.keys(properties));
    return Object.fromEntries(Object.entries(whole).filter(([each]) => each !== left));
  }
  if (member.not !== undefined) return { ...whole, [name]: random.pick(ODD_VALUES) };
  const wrong = violatingValue(member, random);
  return wrong === undefined ? whole : { ...whole, [name]: wrong.value };
}

/** With one member too many, or one whose name or value does not fit. */
function spoiledMap(schema: MapSchema, random: Random): unknown {
  const { propertyNames, additionalProperties, maxProperties } = schema;
  if (maxProperties !== undefined && random.chance(0.3)) {
    return Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, index) => [`k${index}`, 'x']));
  }
  const pairs = pairsOf(schema, 2, random);
  const name = random.chance(0.5) && propertyNames ? violatingValue(propertyNames, random)?.value : undefined;
  if (typeof name === 'string') return Object.fromEntries([...pairs, [name, 'x']]);
  return Object.fromEntries([...pairs, ['k', violatingValue(additionalProperties, random)?.value]]);
}
