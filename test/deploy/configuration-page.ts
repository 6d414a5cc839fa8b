import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commonSettings } from '@sluice/config';
import ts from 'typescript';
import type { z } from 'zod';
import { SERVICE_SETTINGS } from '../../services/config/settings';
import { ROOT } from './made-secrets';

/** Written from the declarations of the settings: `npm run docs:settings`. */
export const CONFIGURATION_PAGE = join(ROOT, 'docs', 'configuration.md');

export interface DeclaredSetting {
  readonly variable: string;
  readonly schema: z.ZodType;
  /** Undefined: every process. */
  readonly readBy: readonly string[] | undefined;
  readonly secret: boolean;
  readonly description: string;
  /** What the comment's `@default` describes. */
  readonly fallback: string | undefined;
  readonly deprecated: boolean;
}

/** The comments of the properties in a file, by the property's name. */
function commentsIn(
  path: string,
): ReadonlyMap<string, Pick<DeclaredSetting, 'description' | 'fallback' | 'deprecated'>> {
  const comments = new Map<string, Pick<DeclaredSetting, 'description' | 'fallback' | 'deprecated'>>();
  const text = readFileSync(join(ROOT, path), 'utf8');
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node)) {
      const [comment] = ts.getJSDocCommentsAndTags(node);
      const tagged = (tag: string) => ts.getJSDocTags(node).find(({ tagName }) => tagName.text === tag);
      comments.set(node.name.getText(), {
        description: (ts.getTextOfJSDocComment(comment?.comment) ?? '').replace(/\s+/g, ' '),
        fallback: ts.getTextOfJSDocComment(tagged('default')?.comment),
        deprecated: tagged('deprecated') !== undefined,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return comments;
}

function declared(path: string, declaration: z.ZodObject, readBy?: readonly string[]): DeclaredSetting[] {
  const comments = commentsIn(path);
  return Object.entries(declaration.shape).map(([variable, type]) => {
    const schema = type as z.ZodType;
    const { secret = false, readBy: services = readBy } = schema.meta() ?? {};
    return { variable, schema, readBy: services, secret, ...comments.get(variable)! };
  });
}

const common = declared('libs/config/settings.ts', commonSettings);

export const SETTINGS_OF: Readonly<Record<string, readonly DeclaredSetting[]>> = {
  'Every process': common.filter(({ readBy }) => readBy === undefined),
  'Shared by services': common.filter(({ readBy }) => readBy !== undefined),
  ...Object.fromEntries(
    Object.entries(SERVICE_SETTINGS).map(([service, declaration]) => [
      service,
      declared(`services/${service}/config/${service}.settings.ts`, declaration, [service]),
    ]),
  ),
};

function defaultOf({ schema, fallback }: DeclaredSetting): string {
  if (fallback !== undefined) return fallback;
  const value = schema.safeParse(undefined).data as string | number | boolean | object | undefined;
  if (value === undefined || value === '') return '';
  if (Array.isArray(value)) return value.length === 0 ? '' : `\`${value.join(',')}\``;
  // A map, of which none has a default with entries.
  if (typeof value === 'object') return '';
  if (typeof value === 'boolean') return value ? '`on`' : '`off`';
  return `\`${String(value)}\``;
}

function table(settings: readonly DeclaredSetting[]): string {
  const shared = settings.some(({ readBy }) => (readBy?.length ?? 0) > 1);
  const rows = settings.map((setting) => {
    const { secret, deprecated } = setting;
    const marks = [...(secret ? ['Secret.'] : []), ...(deprecated ? ['Deprecated.'] : [])];
    return [
      `\`${setting.variable}\``,
      defaultOf(setting),
      [setting.description, ...marks].join(' '),
      ...(shared ? [setting.readBy!.join(', ')] : []),
    ];
  });
  const heads = ['setting', 'default', 'description', ...(shared ? ['read by'] : [])];
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The page as Markdown; tables are not padded. */
export function configurationPage(): string {
  const sections = Object.entries(SETTINGS_OF).map(([title, settings]) => `## ${title}\n\n${table(settings)}\n`);
  return `# Configuration

<!-- Generated from the declarations in libs/config and services/*/config: npm run docs:settings -->

Sluice reads its settings from environment variables, once at start. An empty variable counts as not set. Each process
checks all settings, including those that only other services read. If a setting is invalid, the process does not start, and its
message names each invalid setting.

The value of a setting marked as secret, or a part of it, is a credential: no response, page or log shows it.

${sections.join('\n')}`;
}

if (require.main === module) {
  writeFileSync(CONFIGURATION_PAGE, configurationPage());
  execFileSync('npx', ['prettier', '--write', CONFIGURATION_PAGE], { stdio: 'inherit' });
}
