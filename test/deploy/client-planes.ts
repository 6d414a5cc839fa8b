import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describePlane, type JsonSchema, type OpenApiDocument } from '@sluice/openapi';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { ALL_PLANES } from '../support/planes';
import { ROOT } from './made-secrets';

/** The planes of @sluice/client, written from their OpenAPI descriptions: `npm run docs:client`. */
const CLIENT_PLANES = (['management', 'dashboard'] as const).map((name) => ({
  path: join(ROOT, 'libs', 'client', `${name}-plane.ts`),
  description: describePlane(ALL_PLANES[name]),
}));

async function planeOf(description: OpenApiDocument): Promise<string> {
  const { info, servers, paths } = description;
  const repeatable = Object.entries(paths)
    .filter(([, { post }]) => post?.parameters.some(({ name }) => name === 'Idempotency-Key'))
    .map(([path]) => path);
  const types = astToString(await openapiTS(successesOf(description) as unknown as OpenAPI3));
  return `// Generated from the OpenAPI description: npm run docs:client

/** Of the description that this package was generated from. */
export const API_VERSION = ${JSON.stringify(info.version)};
export const BASE = ${JSON.stringify(servers[0]?.url)};
/** A POST to these takes an \`Idempotency-Key\`, so that a repeat has no further effect. */
export const REPEATABLE_POSTS: readonly string[] = ${JSON.stringify(repeatable)};

${types}`;
}

/** Without errors, which have one class, and without headers. */
function successesOf(description: OpenApiDocument): object {
  const { paths, components } = description;
  const operations = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => {
        const successes = Object.entries(operation.responses).filter(([status]) => Number(status) < 300);
        const responses = successes.map(([status, { description: text, content }]) => [
          status,
          { description: text, content },
        ]);
        return [method, { ...operation, responses: Object.fromEntries(responses) }];
      }),
    ),
  ]);
  const schemas = Object.entries(components.schemas).filter(([name]) => !/^(Validation)?Error$/.test(name));
  const successes = {
    ...description,
    paths: Object.fromEntries(operations),
    components: { ...components, schemas: Object.fromEntries(schemas) },
  };
  return JSON.parse(JSON.stringify(successes), (_, value: unknown) => simplified(value)) as object;
}

/** What the types can't express of an object: members that it must not have, and which members it needs at least. */
function simplified(value: unknown): unknown {
  const { type, properties, ...schema } = (value ?? {}) as JsonSchema;
  if (typeof properties !== 'object' || type !== 'object') return value;
  const allowed = Object.entries(properties).filter(([, member]) => typeof member === 'boolean' || !member.not);
  return { ...schema, type, properties: Object.fromEntries(allowed), anyOf: undefined };
}

/** Writes them; with --check, exits with 1 where one differs from what it would write. */
async function main(check: boolean): Promise<void> {
  for (const { path, description } of CLIENT_PLANES) {
    const text = await format(await planeOf(description), { ...(await resolveConfig(path)), filepath: path });
    if (!check) writeFileSync(path, text);
    else if (readFileSync(path, 'utf8') !== text) throw new Error(`${path} is not what npm run docs:client writes.`);
  }
}

void main(process.argv.includes('--check'));
