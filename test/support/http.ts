import { createHash } from 'node:crypto';
import { eventually } from '@sluice/testing';
import { expectDescribed } from './conformity';

/** What the server answered, its JSON parsed (undefined when there is none). */
export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** No answer for so long is a hang. */
const PATIENCE_MS = 60_000;

/** Every answer is held to the description of its plane. */
export async function call<Body = Record<string, unknown>>(url: string, init: RequestInit = {}): Promise<Answer<Body>> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), ...init });
  const text = isEndless(response) ? await leave(response) : await response.text();
  const body = text === '' ? undefined : (JSON.parse(text) as unknown);
  expectDescribed(init.method ?? 'GET', url, response.status, body);
  return { status: response.status, headers: response.headers, body: body as Body };
}

const isEndless = ({ headers }: Response): boolean => headers.get('Content-Type') === 'text/event-stream';

/** An endless body is abandoned immediately, and treated as empty. */
async function leave(response: Response): Promise<string> {
  await response.body?.cancel();
  return '';
}

/** Calls of the management plane with one access token. */
export function management(address: string, token: string) {
  const send = <Body>(method: string, path: string, body?: unknown) =>
    call<Body>(`${address}/api/public/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const get = <Body = { data: Record<string, unknown> }>(path: string) => send<Body>('GET', path);
  const upload = <Body = UploadAnswer>(path: string, file: Uint8Array, fields: Readonly<Record<string, string>>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', new Blob([Uint8Array.from(file)]), 'bundle.zip');
    return call<Body>(`${address}/api/public/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: form,
    });
  };
  return {
    get,
    upload,
    post: <Body = { data: Record<string, unknown> }>(path: string, body?: unknown) => send<Body>('POST', path, body),
    put: <Body = { data: Record<string, unknown> }>(path: string, body: unknown) => send<Body>('PUT', path, body),
    delete: <Body = { data: Record<string, unknown> }>(path: string) => send<Body>('DELETE', path),
    patch: <Body = { data: Record<string, unknown> }>(path: string, body: unknown) => send<Body>('PATCH', path, body),
    /** Uploads a build, and waits until its job has this status. Returns the id of the build. */
    release: async (
      path: string,
      file: Uint8Array,
      fields: Readonly<Record<string, string>>,
      outcome = 'completed',
    ) => {
      const { status, body } = await upload(path, file, fields);
      if (status !== 202) throw new Error(`The upload got ${status}: ${JSON.stringify(body)}`);
      await eventually(async () => {
        const job = await get<{ data: { status: string } }>(`/jobs/${body.data.job_id}`);
        return job.body.data.status === outcome;
      });
      return body.data.build.id;
    },
  };
}

export interface UploadAnswer {
  readonly data: { readonly job_id: string; readonly status_url: string; readonly build: { readonly id: number } };
}

/** The response to an update check. */
export interface UpdateAnswer {
  readonly available: boolean;
  readonly rollBackToEmbedded?: boolean;
  readonly channelClosed?: boolean;
  readonly version?: string;
  readonly bundleId?: string;
  readonly downloadUrl: string;
  readonly checksum: string;
  readonly size: number;
  readonly mandatory: boolean;
  readonly signature: string | null;
  readonly manifest?: string;
  readonly manifestSignature?: string;
  readonly channelState?: string;
  readonly channelStateSignature?: string;
}

export function checkUpdate(address: string, key: string, device: string, current: string, channel = 'production') {
  return call<UpdateAnswer>(`${address}/api/v1/updates/check?channel=${channel}`, {
    headers: { 'X-API-Key': key, 'X-Device-ID': device, 'X-Current-Version': current, 'X-Platform': 'ios' },
  });
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
