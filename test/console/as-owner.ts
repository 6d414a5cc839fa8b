import { eventually } from '@sluice/testing';
import { call } from '../support/http';
import { zipOf } from '../support/zip';
import type { ConsoleScene } from './harness';

/** What the owner's script would ask of the server of a scene; each rejects with what was answered, unless that is a success. */
export function asOwner(scene: ConsoleScene) {
  async function ask<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const isForm = body instanceof FormData;
    const answer = await call<{ data: Data }>(`${scene.address}/api/dashboard/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${scene.ownerKey}`,
        ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }

  /** Resolves once the build is in service in production. */
  async function release(
    app: number,
    version: string,
    rollout: number,
    metadata: Readonly<Record<string, string>> = {},
    files: Readonly<Record<string, string>> = { 'index.html': version },
  ): Promise<void> {
    const form = new FormData();
    const fields = { version, channel: 'production', rollout_percentage: `${rollout}` };
    for (const [name, value] of Object.entries({ ...fields, metadata: JSON.stringify(metadata) })) {
      form.set(name, value);
    }
    form.set('file', new Blob([Uint8Array.from(await zipOf(files))]), 'www.zip');
    const { job_id: job } = await ask<{ job_id: string }>('POST', `/apps/${app}/builds`, form);
    await eventually(async () => (await ask<{ status: string }>('GET', `/jobs/${job}`)).status === 'completed');
  }
  return { ask, release };
}
