import type { Deployment } from '../support/deployment';
import { checkUpdate, management, sha256 } from '../support/http';
import { zipOf } from '../support/zip';
import type { Credentials } from './client';

/** A released build of an app of its own, and the key of the app's installs. */
export interface Release {
  /** Its path on the management plane. */
  readonly build: string;
  readonly key: string;
  readonly checksum: string;
  /** What devices call the build. */
  readonly bundleId: string;
}

const POLL_MS = 20;

/** On an installation without fault; every device process offers it once this resolves. */
export async function release(deployment: Deployment, { token }: Credentials, name: string): Promise<Release> {
  const api = management(deployment.gateways[0]!, token);
  const app = `/apps/com.example.${name}`;
  await api.post('/apps', { name, bundle_id: `com.example.${name}` });
  const { body: made } = await api.post<{ data: { plaintext_key: string } }>(`${app}/api-keys`, { name });
  const key = made.data.plaintext_key;
  const bundle = await zipOf({ 'index.html': name });
  const accepted = await api.upload(`${app}/builds`, bundle, { version: '1.0.0', channel: 'production' });
  const build = `${app}/builds/${accepted.body.data.build.id}`;
  let bundleId: string | undefined;
  for (const device of deployment.devices) {
    do {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      const { body } = await checkUpdate(device, key, 'first', '0.0.0');
      bundleId = (body as { bundleId?: string }).bundleId;
    } while (bundleId === undefined);
  }
  return { build, key, checksum: sha256(bundle), bundleId: bundleId! };
}
