import type { ErrorReport, KnownUser, ReportBreadcrumb } from './adapter.js';
import type { Breadcrumb, ErrorContext, Severity, User } from './context.js';

const MAX_DEPTH = 6;
const MAX_VALUES = 2_000;
const SEVERITIES: readonly unknown[] = ['debug', 'info', 'warning', 'error', 'fatal'] satisfies Severity[];

/** Lower-case names of what must not be sent. */
export type Redaction = ReadonlySet<string>;

/**
 * Copies what JSON can say of a value: six levels deep, at most 2,000 values, cycles cut, getters that throw survived,
 * members of a redacted name replaced.
 */
export function copyValue(value: unknown, redaction?: Redaction): unknown {
  const above: object[] = [];
  let left = MAX_VALUES;

  const visit = (current: unknown): unknown => {
    left -= 1;
    if (left < 0) return '[Truncated]';
    if (typeof current === 'function') return '[Function]';
    if (typeof current === 'symbol' || typeof current === 'bigint') return String(current);
    if (typeof current !== 'object' || current === null) return current;
    if (above.includes(current)) return '[Circular]';
    if (above.length >= MAX_DEPTH) return Array.isArray(current) ? '[Array]' : '[Object]';
    above.push(current);
    const copy = attempt(() => copyObject(current)) ?? '[Unreadable]';
    above.pop();
    return copy;
  };

  const hidden = (name: unknown): string | undefined =>
    typeof name === 'string' && redaction?.has(name.toLowerCase()) ? '[Redacted]' : undefined;

  const copyObject = (current: object): unknown => {
    if ('toJSON' in current && typeof current.toJSON === 'function') {
      return visit((current as { toJSON(): unknown }).toJSON()) ?? null;
    }
    if (isError(current)) {
      const told = (name: 'name' | 'message' | 'stack') => text(attempt(() => current[name]));
      return { name: told('name'), message: told('message'), stack: told('stack') };
    }
    if (current instanceof Map) {
      return [...current].slice(0, left + 1).map(([key, member]) => [visit(key), hidden(key) ?? visit(member)]);
    }
    if (current instanceof Set) return [...current].slice(0, left + 1).map(visit);
    if (Array.isArray(current)) return current.slice(0, left + 1).map(visit);
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(current)) {
      if (left < 0) break;
      if (key === '__proto__') continue;
      copy[key] = hidden(key) ?? visit(attempt(() => (current as Record<string, unknown>)[key]));
    }
    return copy;
  };

  return visit(value);
}

/**
 * A plain error with the name, message, stack and causes of the one given; no other member, and no cycle. What is no
 * error becomes one whose stack begins at the caller of `entry`.
 */
export function copyError(
  thrown: unknown,
  redaction?: Redaction,
  entry?: unknown,
  above: readonly unknown[] = [],
): Error {
  if (!isError(thrown)) {
    const error = new Error(
      typeof thrown === 'string'
        ? thrown
        : (attempt(() => JSON.stringify(copyValue(thrown, redaction))) ?? 'undefined'),
    );
    (Error as { captureStackTrace?(target: Error, entry: unknown): void }).captureStackTrace?.(error, entry);
    return error;
  }
  const copy = new Error(text(attempt(() => thrown.message)) ?? '');
  define(copy, 'name', text(attempt(() => thrown.name)) ?? 'Error');
  define(copy, 'stack', text(attempt(() => thrown.stack)) ?? '');
  const path = [...above, thrown];
  const cause = attempt(() => thrown.cause) ?? undefined;
  if (cause !== undefined && path.length < MAX_DEPTH && !path.includes(cause)) {
    define(copy, 'cause', isError(cause) ? copyError(cause, redaction, entry, path) : copyValue(cause, redaction));
  }
  return copy;
}

/** Whatever a caller without types has passed, the report is well-formed. */
export function reportOf(
  thrown: unknown,
  context: ErrorContext | undefined,
  redaction: Redaction,
  at: number,
  entry: unknown,
): ErrorReport {
  const given = (key: keyof ErrorContext): unknown => attempt(() => context?.[key]);
  const crumbs = attempt(() => {
    const told = given('breadcrumbs') as Breadcrumb[] | undefined;
    return Array.isArray(told) ? [...told] : undefined;
  });
  const severity = given('severity');
  const tags: Record<string, string> = {};
  for (const [name, value] of Object.entries(record(copyValue(given('tags'), redaction)) ?? {})) {
    const tag = text(value);
    if (tag !== undefined) tags[name] = tag;
  }
  return {
    error: copyError(thrown, redaction, entry),
    message: !isError(thrown),
    severity: SEVERITIES.includes(severity) ? (severity as Severity) : 'error',
    tags,
    extra: record(copyValue(given('extra'), redaction)) ?? {},
    user: userOf(given('user') as User | undefined, redaction),
    breadcrumbs: (crumbs ?? []).map((crumb) => breadcrumbOf(crumb, redaction, at)),
    at,
  };
}

export function breadcrumbOf(crumb: Breadcrumb, redaction: Redaction, at: number): ReportBreadcrumb {
  const given = (key: keyof Breadcrumb): unknown => attempt(() => (crumb as Breadcrumb | undefined)?.[key]);
  const timestamp = given('timestamp');
  const category = text(given('category'));
  const data = record(copyValue(given('data'), redaction));
  return {
    message: text(given('message')) ?? '',
    ...(category !== undefined && { category }),
    timestamp: typeof timestamp === 'number' && Number.isFinite(timestamp) ? timestamp : at,
    ...(data && { data }),
  };
}

/** Undefined if none of the three members is given. */
export function userOf(user: User | null | undefined, redaction: Redaction): KnownUser | undefined {
  const given = record(copyValue(user, redaction)) ?? {};
  const known: Record<string, string> = {};
  for (const name of ['id', 'email', 'username']) {
    const value = text(given[name]);
    if (value !== undefined) known[name] = value;
  }
  return Object.keys(known).length > 0 ? known : undefined;
}

export function copyReport(report: ErrorReport): ErrorReport {
  const { error, ...rest } = report;
  return { ...structuredClone(rest), error: copyError(error) };
}

export function isError(value: unknown): value is Error {
  return attempt(() => value instanceof Error || Object.prototype.toString.call(value) === '[object Error]') ?? false;
}

export function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Undefined when it throws, as a getter or a proxy may. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function define(error: Error, name: string, value: unknown): void {
  Object.defineProperty(error, name, { value, configurable: true, writable: true });
}
