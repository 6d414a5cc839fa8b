import type { Random } from '../faults/random';
import { oddWord, type Schema } from './values';

export const PLANES = ['management', 'dashboard', 'listings-ads', 'device'] as const;
export type PlaneName = (typeof PLANES)[number];

/** One operation of a plane, as the server describes it. */
export interface Operation {
  readonly plane: PlaneName;
  readonly method: string;
  /** With the base of its plane and `{parameters}`. */
  readonly path: string;
  readonly query: readonly string[];
  readonly body?: Schema;
  readonly form?: Schema;
  /** Statuses that the description names. */
  readonly statuses: ReadonlySet<string>;
  readonly resolve: (reference: string) => Schema;
}

interface Description {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}

interface DescribedOperation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

/** Every operation of the four descriptions that the server at this address serves. */
export async function readOperations(address: string): Promise<readonly Operation[]> {
  const operations = await Promise.all(
    PLANES.map(async (plane) => {
      const response = await fetch(`${address}/openapi/${plane}.json`);
      return operationsOf(plane, (await response.json()) as Description);
    }),
  );
  return operations.flat();
}

function operationsOf(plane: PlaneName, description: Description): Operation[] {
  const base = new URL(description.servers[0]?.url ?? '', 'http://fuzz').pathname;
  const resolve = (reference: string): Schema =>
    reference
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], description) as Schema;
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, responses }]): Operation => {
      const body = requestBody?.content['application/json']?.schema;
      const form = requestBody?.content['multipart/form-data']?.schema;
      return {
        ...{ plane, method: method.toUpperCase(), path: `${base}${path}`, resolve },
        query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
        ...(body && { body }),
        ...(form && { form }),
        statuses: new Set(Object.keys(responses)),
      };
    }),
  );
}

/** What takes long, or something away that the run needs: asked for seldom, or of things that the run can spare. */
const SLOW = /\/(rebuild|verify|reseal|rotate|repair|sync\/now|signing-key)$/;
const ENDS_ACCESS = /\/(rotate-key|session|dashboard\/v1\/listings)$/;
const SPARES_THE_FIRST = /\/(tokens|owners|api-keys)\/\{/;

export function pickOperation(operations: readonly Operation[], random: Random): Operation {
  for (;;) {
    const operation = random.pick(operations);
    if (!SLOW.test(operation.path) || operation.method === 'GET' || random.chance(0.05)) return operation;
  }
}

/** Whether it would end what the run signs in with, or switch a plane off: sent without a credential then. */
export const endsAccess = ({ method, path }: Operation): boolean => method !== 'GET' && ENDS_ACCESS.test(path);

/** The path and query of one request: parameters that are there, or odd. */
export function targetOf(operation: Operation, random: Random): string {
  const changes = operation.method !== 'GET';
  const isRemoval = operation.method === 'DELETE' && operation.path.endsWith('{app}');
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const spared = changes && (isRemoval || (name !== 'app' && SPARES_THE_FIRST.test(operation.path)));
    if (spared) return String(2 + random.below(3));
    return random.chance(0.75) ? '1' : encoded(oddWord(random) || '0', random).replace(/^0*1$/, '2');
  });
  const pairs = operation.query
    .filter(() => random.chance(0.5))
    .map((name) => `${name}=${encoded(oddWord(random), random)}`);
  if (random.chance(0.05))
    pairs.push(random.pick(['%', '=', '&&', '%zz=%', 'a[]=1&a[]=2', '__proto__=1', 'page=1&page=2']));
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** Nothing in it ends a request line. */
function encoded(word: string, random: Random): string {
  const whole = encodeURIComponent(word);
  return random.chance(0.05)
    ? `${whole}${random.pick(['%', '%zz', '%ed%a0%80', '%c0%80', '%2f', '%2e%2e%2f', ';', '+'])}`
    : whole;
}
