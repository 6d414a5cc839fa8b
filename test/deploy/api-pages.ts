import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describePlane, type JsonSchema, type OpenApiDocument, type OperationObject } from '@sluice/openapi';
import { ALL_PLANES } from '../support/planes';
import { ROOT } from './made-secrets';

const STATUS_HEADS = ['status', 'description', 'headers'] as const;

/** A page for each plane, written from its OpenAPI description: `npm run docs:api`. */
export const API_PAGES = Object.entries(ALL_PLANES).map(([name, plane]) => ({
  path: join(ROOT, 'docs', 'api', `${name}.md`),
  text: pageOf(name, describePlane(plane)),
}));

function pageOf(name: string, description: OpenApiDocument): string {
  const { info, servers, tags, paths, components } = description;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ address: `${method.toUpperCase()} ${path}`, operation })),
  );
  const responses = operations.map(({ operation }) => statusesOf(operation));
  const shared = responses[0]!.filter((row) => responses.every((rows) => rows.some((other) => isSameRow(row, other))));
  const sections = tags.map(({ name: tag }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    return [`## ${tag}`, ...own.map(({ address, operation }) => sectionOf(address, operation, shared))].join('\n\n');
  });
  const schemes = Object.values(components.securitySchemes) as { description: string; name?: string }[];
  const headers = schemes.map(({ name: header, description: text }) => [code(header ?? 'Authorization: Bearer'), text]);
  const objects = Object.entries(components.schemas).map(
    ([title, schema]) => `### ${title}\n\n${membersTable(schema)}`,
  );
  return [
    `# ${info.title.replace(/^Sluice (.)/, (_, first: string) => first.toUpperCase())}`,
    '<!-- Generated from the OpenAPI description: npm run docs:api -->',
    prose(info.description),
    `The paths below are relative to ${servers.map(({ url }) => code(url)).join(', ')}. A server serves this description as OpenAPI 3.1 at \`/openapi/${name}.json\`.`,
    table(['header', 'credential'], headers),
    'Every operation can also return:',
    table(STATUS_HEADS, shared),
    ...sections,
    '## Objects',
    ...objects,
    '',
  ].join('\n\n');
}

function statusesOf({ responses }: OperationObject): string[][] {
  return Object.entries(responses).map(([status, { description, headers = {} }]) => [
    code(status),
    prose(description),
    Object.keys(headers).map(code).join(', '),
  ]);
}

function isSameRow(a: readonly string[], b: readonly string[]): boolean {
  return a.join('|') === b.join('|');
}

/** Without the statuses in `shared`. */
function sectionOf(address: string, operation: OperationObject, shared: readonly (readonly string[])[]): string {
  const { summary, description, parameters, requestBody, responses } = operation;
  const inputs = parameters.map((parameter) => [
    code(parameter.name),
    `${parameter.in}${parameter.required ? '' : ', optional'}`,
    typeOf(parameter.schema),
    prose(parameter.description ?? ''),
  ]);
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) => `Body, ${code(type)}:\n\n${membersTable(schema)}`,
  );
  const statuses = statusesOf(operation).filter((row) => !shared.some((other) => isSameRow(row, other)));
  const results = Object.entries(responses).flatMap(([status, { content }]) =>
    Number(status) < 300
      ? Object.entries(content ?? {}).map(([type, { schema }]) =>
          type === 'application/json'
            ? `Response ${code(status)}:\n\n${membersTable(schema)}`
            : `Response ${code(status)}: ${code(type)}`,
        )
      : [],
  );
  return [
    `### ${summary}`,
    code(address),
    ...(description === undefined ? [] : [prose(description)]),
    ...(inputs.length === 0 ? [] : [table(['parameter', 'in', 'type', 'description'], inputs)]),
    ...bodies,
    ...results,
    table(STATUS_HEADS, statuses),
  ].join('\n\n');
}

/** Every member at its path, such as `data[].id`; those of a named object are listed once, under its name. */
function membersTable(schema: JsonSchema): string {
  const rows = membersOf(schema, '');
  return rows.length === 0 ? typeOf(schema) : table(['member', 'type', 'description'], rows);
}

function membersOf(schema: JsonSchema, path: string): string[][] {
  const { $ref, properties = {}, items, anyOf = [], allOf = [], required = [] } = schema;
  if ($ref !== undefined) return path === '' ? [['', typeOf(schema), '']] : [];
  const own = Object.entries(properties).flatMap(([name, member]) => {
    if (typeof member === 'boolean' || member.not !== undefined) return [];
    const at = path === '' ? name : `${path}.${name}`;
    const optional = required.includes(name) ? '' : ', optional';
    return [[code(at), `${typeOf(member)}${optional}`, prose(member.description ?? '')], ...membersOf(member, at)];
  });
  const nested = typeof items === 'object' && !Array.isArray(items) ? membersOf(items, `${path}[]`) : [];
  // Alternatives of an object with members only say which of these it needs.
  const alternatives = own.length > 0 ? [] : [...anyOf, ...allOf].flatMap((each) => membersOf(each, path));
  const rows = [...own, ...nested, ...alternatives];
  return rows.filter(([name], index) => rows.findIndex(([other]) => other === name) === index);
}

function typeOf(schema: JsonSchema): string {
  const { $ref, anyOf, format, minimum, maximum, maxLength, contentMediaType } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(' or ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (anyOf !== undefined && schema.properties === undefined) return [...new Set(anyOf.map(typeOf))].join(' or ');
  const { items } = schema;
  if (schema.type === 'array') {
    return typeof items === 'object' && !Array.isArray(items) ? `list of ${typeOf(items)}` : 'list';
  }
  const limits = [
    format,
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && `to ${maximum}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ].filter((limit) => typeof limit === 'string');
  const type = [schema.type ?? (contentMediaType === undefined ? 'any' : 'binary')].flat().join(' or ');
  return prose([type, ...limits].join(', '));
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  // A column without any content is left out.
  const used = heads.map((_, column) => rows.some((row) => row[column] !== ''));
  const line = (cells: readonly string[]) => `| ${cells.filter((_, column) => used[column]).join(' | ')} |`;
  return [heads, heads.map(() => '---'), ...rows].map(line).join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Text with its `code` and error codes, as Markdown. */
function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g, '`$&`')))
    .join('')
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/[<>*_|[\]]/g, '\\$&')))
    .join('');
}

if (require.main === module) {
  for (const { path, text } of API_PAGES) writeFileSync(path, text);
  execFileSync('npx', ['prettier', '--write', ...API_PAGES.map(({ path }) => path)], { stdio: 'inherit' });
}
