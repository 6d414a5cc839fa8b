import { join } from 'node:path';
import type { SentRequest } from './cases';
import type { Operation } from './operations';
import type { Answer } from './responses';

const ROOT = join(__dirname, '..', '..');

/** What an answer must not hold: lines of a stack, names of the server's files. */
const LEAKS = [/\n\s+at .+[:(]\d+/, /\.[cm]?[jt]s:\d+/, /node:internal/, /node_modules/, /panicked at/];

/** Faults of one answer to a request; empty when all is well. @param secret texts that no refusal may hold */
export function faultsOf(answer: Answer, request: SentRequest | undefined, secret: readonly string[]): string[] {
  const { status, headers, body } = answer;
  const text = body.toString('utf8');
  const faults: string[] = [];
  if (status >= 500 && !isDocumented(answer, request?.operation)) faults.push(`status ${status}`);
  const told = `${[...headers].map(([name, value]) => `${name}: ${value}`).join('\n')}\n${isText(headers) ? text : ''}`;
  for (const leak of LEAKS) if (leak.test(told)) faults.push(`the answer holds ${leak.exec(told)?.[0]}`);
  for (const path of status < 400 ? [] : [ROOT, ...secret])
    if (told.includes(path)) faults.push(`the answer holds ${path}`);
  if (!isJson(headers) || request?.method === 'HEAD' || status === 304) return faults;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [...faults, 'the answer is no JSON'];
  }
  if (!inEnvelope(status, parsed, request?.target))
    faults.push(`the answer is in no envelope of its plane: ${text.slice(0, 300)}`);
  return faults;
}

/** A 5xx that the operation's description names, and that says when to come back where it is a 503. */
function isDocumented({ status, headers }: Answer, operation: Operation | undefined): boolean {
  if (status === 503) return headers.has('retry-after');
  return status === 502 && operation?.statuses.has('502') === true;
}

const typeOf = (headers: Answer['headers']): string => headers.get('content-type') ?? '';
const isJson = (headers: Answer['headers']): boolean => typeOf(headers).startsWith('application/json');
const isText = (headers: Answer['headers']): boolean => isJson(headers) || typeOf(headers).startsWith('text/plain');

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNamed = (value: unknown): value is string => typeof value === 'string' && value !== '';

function inEnvelope(status: number, body: unknown, target: string | undefined): boolean {
  if (!isObject(body)) return false;
  const path = target?.split('?', 1)[0] ?? '';
  if (status >= 400) {
    if (target === undefined) return isCommonRefusal(body) || isListingsRefusal(body);
    return path.startsWith('/svc/') ? isListingsRefusal(body) : isCommonRefusal(body);
  }
  if (path.startsWith('/svc/'))
    return body['success'] === true && 'data' in body && typeof body['message'] === 'string';
  if (path.startsWith('/api/public/') || path.startsWith('/api/dashboard/')) return 'data' in body;
  return true;
}

function isCommonRefusal(body: Json): boolean {
  const { error, message, errors } = body;
  if (isObject(error)) return isNamed(error['code']) && isNamed(error['message']);
  return isNamed(message) && isObject(errors);
}

function isListingsRefusal({ success, data, message }: Json): boolean {
  return success === false && isObject(data) && isNamed(data['code']) && isNamed(message);
}
