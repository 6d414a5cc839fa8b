import type { Deployment } from '../support/deployment';
import { call, type Answer } from '../support/http';
import type { ServerProcess } from '../support/process';
import type { Random } from './random';

/** What became of a call, as far as its caller can tell. */
export type Outcome<Body> =
  | { readonly kind: 'acknowledged'; readonly body: Body }
  /** Known not to have happened. */
  | { readonly kind: 'refused'; readonly code: string }
  /** It happened whole, or not at all. */
  | { readonly kind: 'unanswered' };

interface ErrorBody {
  readonly error?: { readonly code: string };
}

/** Which answers a caller is prepared for. */
export interface Expected {
  readonly success: number;
  /** Codes. */
  readonly refusals?: readonly string[];
}

/** Sends a request to a process that serves its path. @throws Error for an answer, or none, that no fault excuses */
export type Send = (path: string, init: RequestInit, expected: Expected) => Promise<Outcome<unknown>>;

/**
 * To a random process of the plane. Besides what is expected, a fault may show as 503
 * SERVICE_UNAVAILABLE or 500 UPLOAD_FAILED, with Retry-After; and as a broken connection when the process itself was
 * stopped.
 */
export function sendToAny(deployment: Deployment, plane: 'gateways' | 'devices', random: Random): Send {
  return async (path, init, expected) => {
    const addresses = deployment[plane];
    const asked = random.pick(deployment.processes.filter(({ address }) => addresses.includes(address)));
    const what = `${init.method ?? 'GET'} ${path}`;
    let answer: Answer;
    try {
      answer = await call(`${asked.address}${path}`, init);
    } catch (error) {
      // What fetch throws when the connection was refused or broke; of a class that is not Jest's own.
      if ((error as Error).name === 'TypeError' && !isAlive(asked)) return { kind: 'unanswered' };
      throw new Error(`${what} got no answer of ${asked.name}: ${causeOf(error)}.`, { cause: error });
    }
    return outcomeOf(answer, expected) ?? excused(what, answer);
  };
}

/** Jest shows no causes. */
function causeOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  const { code = '', message: why = '' } = (cause ?? {}) as { code?: string; message?: string };
  return [name, message, code, why].filter((part) => part !== '').join(', ');
}

/** Undefined for what the caller is not prepared for. */
export function outcomeOf(answer: Answer, { success, refusals = [] }: Expected): Outcome<unknown> | undefined {
  const { status, body } = answer;
  if (status === success) return { kind: 'acknowledged', body };
  const code = codeOf(answer);
  return refusals.includes(code) ? { kind: 'refused', code } : undefined;
}

function excused(what: string, answer: Answer): Outcome<unknown> {
  const { status, headers, body } = answer;
  const code = codeOf(answer);
  const retryable = /^[1-9]\d*$/.test(headers.get('retry-after') ?? '');
  if (status === 503 && code === 'SERVICE_UNAVAILABLE' && retryable) return { kind: 'unanswered' };
  if (status === 500 && code === 'UPLOAD_FAILED' && retryable) return { kind: 'refused', code };
  throw new Error(`${what} answered ${status} ${JSON.stringify(body)}, Retry-After: ${headers.get('retry-after')}.`);
}

const codeOf = ({ body }: Answer): string => (body as ErrorBody | undefined)?.error?.code ?? '';

/** Whether it runs, and was not stopped. */
export function isAlive({ child }: ServerProcess): boolean {
  return child.exitCode === null && child.signalCode === null && !child.killed;
}

/** Counts acknowledgements, and lets a test act on one while it is fresh. */
export class Acknowledgements {
  private counted = 0;
  private readonly waiting = new Set<{ readonly at: number; readonly reached: () => void }>();

  get count(): number {
    return this.counted;
  }

  add(): void {
    this.counted += 1;
    for (const waiter of this.waiting) {
      if (this.counted < waiter.at) continue;
      this.waiting.delete(waiter);
      waiter.reached();
    }
  }

  /** Resolves at the `further`-th from now on. */
  next(further: number): Promise<void> {
    return new Promise((reached) => this.waiting.add({ at: this.counted + further, reached }));
  }
}

export interface Credentials {
  readonly token: string;
  readonly ownerKey: string;
}

export interface WriteOptions {
  /** Default 201. */
  readonly success?: number;
  /** Codes that the caller is prepared for. */
  readonly refusals?: readonly string[];
}

/** Calls of one writer. */
export class Client {
  constructor(
    private readonly send: Send,
    private readonly credentials: Credentials,
    private readonly acknowledgements: Acknowledgements,
  ) {}

  post<Body>(path: string, body?: object, options: WriteOptions = {}): Promise<Outcome<Body>> {
    return this.write<Body>('POST', management(path), this.credentials.token, jsonBody(body), options);
  }

  patch<Body>(path: string, body: object): Promise<Outcome<Body>> {
    return this.write<Body>('PATCH', management(path), this.credentials.token, jsonBody(body), { success: 200 });
  }

  upload<Body>(
    path: string,
    file: Uint8Array,
    fields: Readonly<Record<string, string>>,
    refusals: readonly string[] = [],
  ): Promise<Outcome<Body>> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', new Blob([Uint8Array.from(file)]), 'bundle.zip');
    return this.write('POST', management(path), this.credentials.token, { body: form }, { success: 202, refusals });
  }

  /** On the dashboard plane. */
  asOwner<Body>(path: string, body?: object, options: WriteOptions = {}): Promise<Outcome<Body>> {
    return this.write<Body>('POST', `/api/dashboard/v1${path}`, this.credentials.ownerKey, jsonBody(body), options);
  }

  /** Undefined when a fault kept the answer away. */
  async read<Body>(path: string): Promise<Body | undefined> {
    const headers = { Authorization: `Bearer ${this.credentials.token}` };
    const outcome = (await this.send(management(path), { headers }, { success: 200 })) as Outcome<Body>;
    return outcome.kind === 'acknowledged' ? outcome.body : undefined;
  }

  private async write<Body>(
    method: string,
    path: string,
    credential: string,
    { headers, body }: { headers?: Record<string, string>; body?: string | FormData },
    { success = 201, refusals = [] }: WriteOptions,
  ): Promise<Outcome<Body>> {
    const init = {
      method,
      headers: { Authorization: `Bearer ${credential}`, ...headers },
      ...(body !== undefined && { body }),
    };
    const outcome = (await this.send(path, init, { success, refusals })) as Outcome<Body>;
    if (outcome.kind === 'acknowledged') this.acknowledgements.add();
    return outcome;
  }
}

const management = (path: string): string => `/api/public/v1${path}`;

function jsonBody(body: object | undefined): { headers?: Record<string, string>; body?: string } {
  return body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}
