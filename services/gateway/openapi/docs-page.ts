import { createHash } from 'node:crypto';
import type { JsonSchema, OpenApiDocument, OperationObject, ResponseObject } from '@sluice/openapi';

const STYLE = `
:root{color-scheme:light dark;--line:#8883;--soft:#8881;--dim:#777;--link:#0a66c2}
@media(prefers-color-scheme:dark){:root{--dim:#a0a0a0;--link:#6cb2ff}}
*{box-sizing:border-box}
body{margin:0;font:16px/1.55 system-ui,sans-serif;display:grid;grid-template-columns:17rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem;border-right:1px solid var(--line);font-size:.9rem}
nav ul{list-style:none;margin:.2rem 0 1rem;padding-left:.8rem}
main{padding:1.5rem 2.5rem 6rem;max-width:64rem}
a{color:var(--link);text-decoration:none}a:hover,a:focus-visible{text-decoration:underline}
h1{margin:.2rem 0 1rem}h2{margin:3rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line)}h3{margin:2rem 0 .5rem}
h5{margin:1.2rem 0 .3rem;font-size:.8rem;letter-spacing:.06em;text-transform:uppercase;color:var(--dim)}
code{font:.86em ui-monospace,SFMono-Regular,Menlo,monospace}
details{border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0}
details>div{padding:0 1rem 1rem}
summary{cursor:pointer;padding:.6rem 1rem;display:flex;gap:.8rem;align-items:baseline;flex-wrap:wrap}
summary span{color:var(--dim)}
details[open]>summary{background:var(--soft);border-bottom:1px solid var(--line)}
.method{font-weight:700;min-width:4.2rem}
table{border-collapse:collapse;width:100%;font-size:.92rem}
td,th{text-align:left;vertical-align:top;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line)}
td:first-child{white-space:nowrap}
ul.members{margin:.2rem 0;padding-left:1.2rem}
small{color:var(--dim)}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0}main{padding:1rem}}
`;

/** A page that loads nothing from elsewhere, and the Content-Security-Policy that enforces this. */
export function docsPage(descriptions: readonly { readonly file: string; readonly description: OpenApiDocument }[]): {
  readonly html: string;
  readonly policy: string;
} {
  const contents = descriptions.map(({ file, description }) => {
    const tags = description.tags.map(({ name }) => `<li><a href="#${anchor(file, name)}">${escape(name)}</a></li>`);
    return `<a href="#${anchor(file)}">${escape(description.info.title)}</a><ul>${tags.join('')}</ul>`;
  });
  const planes = descriptions.map(({ file, description }) => plane(file, description));
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sluice: the HTTP interface</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body><nav aria-label="Contents">${contents.join('')}</nav>
<main><h1>Sluice: the HTTP interface</h1>${planes.join('')}</main></body></html>`;
  const styleHash = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html, policy };
}

function plane(file: string, description: OpenApiDocument): string {
  const { info, servers, tags, paths } = description;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = tags.map(({ name }) => {
    const own = all.filter(({ operation }) => operation.tags.includes(name));
    const shown = own.map(({ path, method, operation }) => operationHtml(description, file, path, method, operation));
    return `<h3 id="${anchor(file, name)}">${escape(name)}</h3>${shown.join('')}`;
  });
  return `<section><h2 id="${anchor(file)}">${escape(info.title)}</h2><p>${prose(info.description)}</p>
<p>Base <code>${escape(servers.map(({ url }) => url).join(' '))}</code> · OpenAPI 3.1: <a href="/openapi/${file}">${file}</a></p>
${credentials(description)}${groups.join('')}</section>`;
}

function credentials({ components }: OpenApiDocument): string {
  const schemes = Object.values(components.securitySchemes) as { description: string; name?: string }[];
  const rows = schemes.map(
    ({ name, description }) =>
      `<tr><td><code>${escape(name ?? 'Authorization: Bearer')}</code></td><td>${prose(description)}</td></tr>`,
  );
  return `<table><tr><th>Header</th><th>Credential</th></tr>${rows.join('')}</table>`;
}

function operationHtml(
  description: OpenApiDocument,
  file: string,
  path: string,
  method: string,
  operation: OperationObject,
): string {
  const { operationId, summary, parameters, requestBody, responses } = operation;
  const rows = parameters.map(
    ({ name, in: where, required, description: text = '', schema }) =>
      `<tr><td><code>${escape(name)}</code></td><td>${where}${required ? '' : ', optional'}</td><td>${typeOf(schema)} ${prose(text)}</td></tr>`,
  );
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) => `<h5>Body <code>${escape(type)}</code></h5>${members(description, schema)}`,
  );
  const answers = Object.entries(responses).map(([status, response]) => answer(description, status, response));
  return `<details id="${anchor(file, operationId)}"><summary><code class="method">${method.toUpperCase()}</code><code>${escape(path)}</code><span>${escape(summary)}</span></summary>
<div>${operation.description === undefined ? '' : `<p>${prose(operation.description)}</p>`}
${rows.length === 0 ? '' : `<h5>Parameters</h5><table>${rows.join('')}</table>`}${bodies.join('')}
<h5>Answers</h5><table>${answers.join('')}</table></div></details>`;
}

function answer(
  description: OpenApiDocument,
  status: string,
  { description: text, headers, content }: ResponseObject,
): string {
  const names = Object.keys(headers ?? {}).map((name) => `<code>${escape(name)}</code>`);
  const bodies = Object.entries(content ?? {}).map(([type, { schema }]) =>
    Number(status) < 300 && type === 'application/json' ? members(description, schema) : `<code>${escape(type)}</code>`,
  );
  const shown = Number(status) < 300 ? bodies.join('') : '';
  return `<tr><td><code>${status}</code></td><td>${prose(text)} ${names.length === 0 ? '' : `<small>Headers ${names.join(', ')}</small>`}${shown}</td></tr>`;
}

/** The members of an object, those of its members within. */
function members(description: OpenApiDocument, given: JsonSchema): string {
  const schema = resolve(description, given);
  // Those of an object with members say which of them it needs.
  const alternatives = schema.properties === undefined ? (schema.anyOf ?? []).filter(hasMembers) : [];
  if (alternatives.length > 0) return alternatives.map((each) => members(description, each)).join('<small>or</small>');
  if (schema.items !== undefined && typeof schema.items === 'object' && !Array.isArray(schema.items)) {
    return members(description, schema.items);
  }
  const rows = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    if (typeof member === 'boolean' || member.not !== undefined) return '';
    const optional = schema.required?.includes(name) === true ? '' : ', optional';
    return `<li><code>${escape(name)}</code> <small>${typeOf(resolve(description, member))}${optional}</small> ${prose(member.description ?? '')}${members(description, member)}</li>`;
  });
  return rows.length === 0 ? '' : `<ul class="members">${rows.join('')}</ul>`;
}

function hasMembers({ $ref, properties, items, anyOf }: JsonSchema): boolean {
  return [$ref, properties, items, anyOf].some((each) => each !== undefined);
}

function resolve({ components }: OpenApiDocument, schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  return components.schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] ?? schema;
}

/** A schema's type in one line. */
function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return escape(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1));
  if (schema.enum !== undefined) return schema.enum.map((value) => `<code>${escape(String(value))}</code>`).join(' | ');
  if (schema.const !== undefined) return `<code>${escape(String(schema.const))}</code>`;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  const limits = [
    schema.format,
    schema.minimum === undefined ? undefined : `from ${schema.minimum}`,
    schema.maximum === undefined ? undefined : `to ${schema.maximum}`,
    schema.maxLength === undefined ? undefined : `at most ${schema.maxLength} characters`,
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ].filter((limit) => limit !== undefined);
  const type = schema.type ?? (schema.contentMediaType === undefined ? 'any' : 'binary');
  return escape([type === 'array' ? 'list' : type, ...limits].join(', '));
}

function anchor(...parts: readonly string[]): string {
  return parts
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
}

/** Text with its `code`. */
function prose(text: string): string {
  return escape(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
