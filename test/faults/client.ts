import type { Deployment } from '../support/deployment';
import { call, type Answer } from '../support/http';
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

/**
 * Sorts an answer. Besides success and the refusals that the caller expects, a fault may show as a
 * broken connection, 503 SERVICE_UNAVAILABLE or 500 UPLOAD_FAILED, the latter two with Retry-After.
 * @throws Error for any other answer, and for none
 */
export async function outcomeOf<Body>(
  what: string,
  success: number,
  answer: Promise<Answer<Body>>,
  refusals: readonly string[] = [],
): Promise<Outcome<Body>> {
  let answered: Answer<Body>;
  try {
    answered = await answer;
  } catch (error) {
    // What fetch throws when the connection was refused or broke; of a class that is not Jest's own.
    if ((error as Error).name === 'TypeError') return { kind: 'unanswered' };
    throw new Error(`${what} got no answer.`, { cause: error });
  }
  const { status, headers, body } = answered;
  if (status === success) return { kind: 'acknowledged', body };
  const code = (body as ErrorBody | undefined)?.error?.code ?? '';
  if (refusals.includes(code)) return { kind: 'refused', code };
  const retryable = /^[1-9]\d*$/.test(headers.get('retry-after') ?? '');
  if (status === 503 && code === 'SERVICE_UNAVAILABLE' && retryable) return { kind: 'unanswered' };
  if (status === 500 && code === 'UPLOAD_FAILED' && retryable) return { kind: 'refused', code };
  throw new Error(`${what} answered ${status} ${JSON.stringify(body)}, Retry-After: ${headers.get('retry-after')}.`);
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

/** Calls of one writer, each over whichever gateway chance picks. */
export class Client {
  constructor(
    private readonly deployment: Deployment,
    private readonly credentials: Credentials,
    private readonly random: Random,
    private readonly acknowledgements: Acknowledgements,
  ) {}

  post<Body>(path: string, body?: object, options: WriteOptions = {}): Promise<Outcome<Body>> {
    return this.write<Body>('POST', this.management(path), this.credentials.token, jsonBody(body), options);
  }

  patch<Body>(path: string, body: object): Promise<Outcome<Body>> {
    return this.write<Body>('PATCH', this.management(path), this.credentials.token, jsonBody(body), { success: 200 });
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
    return this.write(
      'POST',
      this.management(path),
      this.credentials.token,
      { body: form },
      { success: 202, refusals },
    );
  }

  /** On the dashboard plane. */
  asOwner<Body>(path: string, body?: object, options: WriteOptions = {}): Promise<Outcome<Body>> {
    return this.write<Body>('POST', this.dashboard(path), this.credentials.ownerKey, jsonBody(body), options);
  }

  /** Undefined when a fault kept the answer away. */
  async read<Body>(path: string): Promise<Body | undefined> {
    const url = this.management(path);
    const answer = call<Body>(url, { headers: { Authorization: `Bearer ${this.credentials.token}` } });
    const outcome = await outcomeOf(`GET ${path}`, 200, answer);
    return outcome.kind === 'acknowledged' ? outcome.body : undefined;
  }

  private async write<Body>(
    method: string,
    url: string,
    credential: string,
    { headers, body }: { headers?: Record<string, string>; body?: string | FormData },
    { success = 201, refusals = [] }: WriteOptions,
  ): Promise<Outcome<Body>> {
    const answer = call<Body>(url, {
      method,
      headers: { Authorization: `Bearer ${credential}`, ...headers },
      ...(body !== undefined && { body }),
    });
    const outcome = await outcomeOf(`${method} ${new URL(url).pathname}`, success, answer, refusals);
    if (outcome.kind === 'acknowledged') this.acknowledgements.add();
    return outcome;
  }

  private management(path: string): string {
    return `${this.random.pick(this.deployment.gateways)}/api/public/v1${path}`;
  }

  private dashboard(path: string): string {
    return `${this.random.pick(this.deployment.gateways)}/api/dashboard/v1${path}`;
  }
}

function jsonBody(body: object | undefined): { headers?: Record<string, string>; body?: string } {
  return body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}
