import type { Random } from '../faults/random';

/** As a description has it; what the server serves is plain JSON. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** JSON texts, of which some hold what only an escape can spell. */
const ODD_TEXTS = [
  ...['""', '"\\ud800"', '"\\udfff\\ud800"', '"\\u0000"', '"a\\u0000b"', '"\\ud83d\\udca5"', '"é\u0301\u202e💥"'],
  ...[
    '"../../etc/passwd"',
    '"%00"',
    '"\'; --"',
    '"__proto__"',
    '"constructor"',
    '"{{7*7}}"',
    '"1e999"',
    '"\\r\\nX-A: b"',
  ],
  ...['"0000-01-01"', '"9999-12-31"', '"+010000-01-01"', '"9999-12-31T23:59:59.999Z"', '"2026-02-30"', '"-1"', '"NaN"'],
] as const;

/** Numbers, literals and structures, as JSON spells them, or nearly. */
const ODD_VALUES = [
  ...['0', '-0', '-1', '1.5', '1e308', '1e309', '9007199254740993', '-2147483649', '1e-400', '99999999999999999999'],
  ...[
    'true',
    'false',
    'null',
    '[]',
    '{}',
    '[null]',
    '[[]]',
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":1}}',
  ],
] as const;

/** In a query, a path or a header: not yet escaped. */
const ODD_WORDS = [
  ...['', '0', '-1', '1', '2', '1e3', '0x1', '999999999999999', '99999999999999999999', 'NaN', 'null', 'true', '../..'],
  ...[
    '9999-12-31',
    '0000-01-01',
    '2026-02-30',
    '2026-01-31',
    '+010000-01-01',
    '9999-12-31T23:59:59.999Z',
    '0000-01-01T00:00:00Z',
  ],
  ...[
    '\0',
    'a\0b',
    'é💥',
    '\u202e',
    'com.example.app',
    '__proto__',
    'constructor',
    "' OR 1=1 --",
    'production',
    '1.0.0',
    'x',
  ],
] as const;

export function oddWord(random: Random): string {
  if (random.chance(0.05)) return 'x'.repeat(random.below(9_000));
  if (random.chance(0.2)) return characters(random, random.below(24));
  return random.pick(ODD_WORDS);
}

/** Of any code points. */
export function characters(random: Random, length: number): string {
  return Array.from({ length }, () => {
    const point = random.chance(0.5) ? random.below(128) : random.below(0x11_0000);
    return point >= 0xd800 && point < 0xe000 ? '\ufffd' : String.fromCodePoint(point);
  }).join('');
}

/** JSON that holds to a schema, but where it is odd; members are left out, doubled and made up. */
export function jsonOf(schema: Schema, random: Random, resolve: (reference: string) => Schema, depth = 0): string {
  if (depth > 12 || random.chance(0.08)) return oddJson(random);
  if (schema.$ref !== undefined) return jsonOf(resolve(schema.$ref), random, resolve, depth + 1);
  const variants = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (variants !== undefined && variants.length > 0) return jsonOf(random.pick(variants), random, resolve, depth + 1);
  if (schema.enum !== undefined) return JSON.stringify(random.pick(schema.enum));
  if ('const' in schema) return JSON.stringify(schema.const);
  const type = typeof schema.type === 'object' ? random.pick(schema.type) : schema.type;
  switch (type) {
    case 'object':
      return objectOf(schema, random, resolve, depth);
    case 'array': {
      const items = Array.from({ length: random.below(4) }, () =>
        jsonOf(schema.items ?? {}, random, resolve, depth + 1),
      );
      return `[${items.join(',')}]`;
    }
    case 'integer':
    case 'number':
      return String(
        (schema.minimum ?? 0) + random.below(Math.min(100, (schema.maximum ?? 100) - (schema.minimum ?? 0) + 1)),
      );
    case 'boolean':
      return random.pick(['true', 'false']);
    case 'null':
      return 'null';
    case 'string':
      return textOf(schema, random);
    default:
      return oddJson(random);
  }
}

function objectOf(schema: Schema, random: Random, resolve: (reference: string) => Schema, depth: number): string {
  const members = Object.entries(schema.properties ?? {})
    .filter(() => random.chance(0.7))
    .map(([name, inner]) => `${JSON.stringify(name)}:${jsonOf(inner, random, resolve, depth + 1)}`);
  if (random.chance(0.1)) members.push(`${random.pick(ODD_TEXTS)}:${oddJson(random)}`);
  const [first] = members;
  if (random.chance(0.05) && first !== undefined) members.push(first);
  return `{${members.join(',')}}`;
}

/** Addresses lead to this machine alone, at a port where nothing listens. */
function textOf({ format }: Schema, random: Random): string {
  if (random.chance(0.15)) return random.pick(ODD_TEXTS);
  if (format === 'uri' || format === 'url') return '"https://127.0.0.1:1/hook"';
  if (format === 'date') return random.pick(['"2026-01-31"', '"9999-12-31"', '"0000-01-15"']);
  if (format === 'date-time')
    return random.pick(['"2030-01-01T00:00:00Z"', '"9999-12-31T23:59:59-23:59"', '"0000-01-01T00:00:00Z"']);
  return random.pick(['"name"', '"com.example.app"', '"1.2.3"', '"production"', '"https://127.0.0.1:1"', '"x"', '"1"']);
}

function oddJson(random: Random): string {
  if (random.chance(0.02)) return `${'['.repeat(2_000)}${']'.repeat(2_000)}`;
  if (random.chance(0.02)) return `"${'x'.repeat(random.below(70_000))}"`;
  if (random.chance(0.2)) return JSON.stringify(characters(random, random.below(20)));
  return random.pick(random.chance(0.5) ? ODD_TEXTS : ODD_VALUES);
}

/** What is no JSON, or more of it than anybody wants. */
export function brokenJson(random: Random): Buffer {
  const depth = 1 + random.below(60_000);
  const wide = 1 + random.below(60_000);
  return random.pick([
    () => Buffer.from('['.repeat(depth) + ']'.repeat(depth)),
    () => Buffer.from('{"a":'.repeat(depth / 5) + '1' + '}'.repeat(depth / 5)),
    () => Buffer.from(`[${'0,'.repeat(wide)}0]`),
    () => Buffer.from(`{${Array.from({ length: wide / 20 }, (_, n) => `"m${n}":0`).join(',')}}`),
    () => Buffer.from(`{"name":"${'\\ud800'.repeat(wide / 10)}"}`),
    () => Buffer.from(`{"name":${'1'.repeat(wide)}}`),
    () => Buffer.from('{"name":"x"'),
    () => Buffer.from('\ufeff{}'),
    () => Buffer.from('{"a":1}{"a":1}'),
    () => Buffer.from("{'a':1}"),
    () => Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xed, 0xa0, 0x80, 0x22, 0x7d]),
    () => Buffer.from('{}', 'utf16le'),
    () => Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256))),
    () => Buffer.from('x'.repeat(1_100_000)),
  ])();
}
