import { createVerify } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { deployServices, sixServices, type Deployment } from '../support/deployment';
import { call, management, type Answer, type UploadAnswer } from '../support/http';
import { startNatsServer, type NatsServer } from '@sluice/testing/nats-server';
import { zipOf } from '../support/zip';
import { auditData } from './audit';
import { FAULT_SETTINGS, LONG_LEASE } from './scene';

const JOBS = 200;
const CHANNELS = ['production', 'staging', 'development'];
/** Jobs that show that no worker has a hand free. */
const WAITING = 10;
const POLL_MS = 100;
const APP = '/apps/com.example.shop';

interface Upload {
  readonly version: string;
  readonly bundle: Buffer;
  readonly buildId: number;
  readonly jobId: string;
}

interface JobAnswer {
  readonly data: { readonly status: string; readonly attempts: number; readonly error: string | null };
}

interface Page<Item> {
  readonly data: readonly Item[];
  readonly meta: { readonly last_page: number };
}

describe('two workers, one of which is killed', () => {
  let nats: NatsServer | undefined;
  let deployment: Deployment;
  let token: string;

  afterAll(async () => {
    if (!nats) return;
    await deployment.destroy();
    await nats.stop();
  }, 60_000);

  const api = () => management(deployment.gateways[0]!, token);
  const named = (name: string) => deployment.processes.filter((process) => process.name === name);

  /** As a client does that heard no answer: the same request again, until there is one. */
  async function upload(number: number): Promise<Upload> {
    const version = `1.${number}.0`;
    const bundle = await zipOf({ 'index.html': version });
    for (;;) {
      const form = new FormData();
      form.set('version', version);
      form.set('channel', CHANNELS[number % CHANNELS.length]!);
      form.set('file', new Blob([Uint8Array.from(bundle)]), 'bundle.zip');
      const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': version };
      const url = `${deployment.gateways[0]!}/api/public/v1${APP}/builds`;
      const { status, body }: Answer = await call(url, { method: 'POST', headers, body: form });
      if (status === 202) {
        const { build, job_id: jobId } = (body as UploadAnswer).data;
        return { version, bundle, buildId: build.id, jobId };
      }
      expect([409, 500, 503]).toContain(status);
      await delay(POLL_MS);
    }
  }

  /** Each worker has two jobs in hand and gets no further, or others would not be waiting. */
  async function areHeld(): Promise<boolean> {
    const metrics = await (await fetch(`${named('build-pipeline')[0]!.address}/metrics`)).text();
    const jobs = (state: string) =>
      Number(new RegExp(`^sluice_jobs\\{state="${state}"\\} (\\d+)$`, 'm').exec(metrics)?.[1]);
    return jobs('processing') === 4 && jobs('pending') >= WAITING;
  }

  async function all<Item>(path: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let page = 1, last = 1; page <= last; page += 1) {
      const { body } = await api().get<Page<Item>>(`${path}&per_page=50&page=${page}`);
      items.push(...body.data);
      last = body.meta.last_page;
    }
    return items;
  }

  (sixServices.available ? it : it.skip)(
    `do each of ${JOBS} jobs exactly once, as seen from outside (six services, two replicas of build-pipeline)`,
    async () => {
      nats = await startNatsServer();
      const settings = { ...FAULT_SETTINGS, ...LONG_LEASE, BUS_URL: nats.url };
      deployment = await deployServices(settings, { 'build-pipeline': 2 });
      const owner = { Authorization: `Bearer ${await deployment.ownerKey()}`, 'Content-Type': 'application/json' };
      const made = await call<{ data: { token: string } }>(`${deployment.gateways[0]!}/api/dashboard/v1/tokens`, {
        method: 'POST',
        headers: owner,
        body: JSON.stringify({ name: 'ci', all_apps: true }),
      });
      token = made.body.data.token;
      await api().post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
      const key = await api().post<{ data: { public_key: string } }>(`${APP}/signing-key`, {});

      const uploads: Upload[] = [];
      // A version that a later one of its channel overtakes is no longer newer, so each channel gets its own in order.
      const uploading = Promise.all(
        CHANNELS.map(async (_, first) => {
          for (let number = first; number < JOBS; number += CHANNELS.length) uploads.push(await upload(number));
        }),
      );
      uploading.catch(() => undefined);
      while (uploads.length < JOBS / 2) await Promise.race([delay(POLL_MS), uploading]);

      // Each worker is held where it waits for signatures.
      const [signer] = named('keys');
      signer!.child.kill('SIGSTOP');
      while (!(await areHeld())) await delay(POLL_MS);
      await named('build-pipeline')[1]!.stop('SIGKILL');
      signer!.child.kill('SIGCONT');
      await uploading;

      const attempts: number[] = [];
      for (const { jobId } of uploads) {
        for (;;) {
          const { data: job } = (await api().get<JobAnswer>(`/jobs/${jobId}`)).body;
          if (job.status === 'completed') {
            attempts.push(job.attempts);
            break;
          }
          expect(job).toMatchObject({ status: expect.stringMatching(/^(pending|processing)$/) as string });
          await delay(POLL_MS);
        }
      }
      // Those that the killed one had in hand.
      expect(attempts.filter((count) => count > 1).length).toBeGreaterThan(0);

      const ids = uploads.map(({ buildId }) => buildId).sort((one, other) => one - other);
      const activated = await all<{ build_id: number }>(`${APP}/history?type=BuildActivated`);
      expect(activated.map(({ build_id }) => build_id).sort((one, other) => one - other)).toEqual(ids);
      const builds = await all<{ id: number; version: string; status: string; signature: string }>(`${APP}/builds?`);
      expect(builds).toHaveLength(JOBS);
      for (const { id, version, status, signature } of builds) {
        const { bundle } = uploads.find((each) => each.buildId === id && each.version === version)!;
        expect(status).toBe('active');
        expect(createVerify('sha256').update(bundle).verify(key.body.data.public_key, signature, 'base64')).toBe(true);
      }
      await auditData(deployment);
    },
    240_000,
  );
});
