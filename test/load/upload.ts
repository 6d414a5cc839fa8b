import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ZipFile } from 'yazl';
import { management, type UploadAnswer } from '../support/http';
import { launchProcess } from '../support/process';
import { bench, decimals, onServerCore } from './bench';
import { writeHistory } from './history';
import { residentMemory, resetPeak } from './memory';

/** Memory of the real process while bundles of 100 MB come in and their jobs check them; on OBJECT_STORE_URL where it is set. */
const ENTRY_BYTES = 5_000_000;
const ENTRIES = 20;
const APP = 'com.example.app1';

/** Random content takes as much room deflated as before. */
async function writeBundle(path: string, entries: number): Promise<void> {
  const zip = new ZipFile();
  for (let entry = 0; entry < entries; entry += 1) {
    zip.addBuffer(randomBytes(ENTRY_BYTES), `assets/${entry}.bin`, { compressionLevel: 1 });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

/** Streams the file as the form's file; answers the job's id. */
async function upload(address: string, token: string, path: string, version: string): Promise<string> {
  const boundary = 'bench-boundary';
  const field = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head =
    `${field('version', version)}${field('channel', 'development')}--${boundary}\r\n` +
    'Content-Disposition: form-data; name="file"; filename="bundle.zip"\r\n\r\n';
  const tail = `\r\n--${boundary}--\r\n`;
  const sent = request(`${address}/api/public/v1/apps/${APP}/builds`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': head.length + statSync(path).size + tail.length,
    },
  });
  const answered = new Promise<UploadAnswer>((resolve, reject) => {
    sent.once('error', reject).once('response', (response) => {
      text(response).then((body) => {
        if (response.statusCode === 202) resolve(JSON.parse(body) as UploadAnswer);
        else reject(new Error(`The upload was answered with ${response.statusCode}: ${body}`));
      }, reject);
    });
  });
  sent.write(head);
  await Promise.all([
    (async () => {
      for await (const chunk of createReadStream(path)) {
        if (!sent.write(chunk)) await new Promise((drained) => sent.once('drain', drained));
      }
      sent.end(tail);
    })(),
    answered,
  ]);
  return (await answered).data.job_id;
}

void bench('upload', async ({ folder, say, judge }) => {
  const { token } = await writeHistory(folder, { apps: 1, channels: ['production'], builds: 1 });
  const [small, large] = [join(folder, 'small.zip'), join(folder, 'large.zip')];
  await writeBundle(small, 1);
  await writeBundle(large, ENTRIES);
  const objects = process.env['OBJECT_STORE_URL'];
  const env = {
    ...(objects !== undefined && { OBJECT_STORE_URL: objects, MASTER_KEY: randomBytes(32).toString('hex') }),
    ...{ DATA_DIR: folder, LIMIT_UPLOADS_PER_HOUR: '1000000', JOB_CONTENT_RETRY_DELAYS_MS: '10' },
  };
  const server = await onServerCore(() => launchProcess('standalone', env)).ready;
  const pid = server.child.pid!;
  const api = management(server.address, token);
  let versions = 0;

  const completed = async (jobId: string) => {
    for (;;) {
      const { body } = await api.get<{ data: { status: string; error: string | null } }>(`/jobs/${jobId}`);
      if (body.data.status === 'completed') return;
      if (body.data.status === 'failed') throw new Error(`The job failed: ${body.data.error}`);
      await delay(50);
    }
  };
  /** In MiB, with the jobs' checks. Versions ascend, whatever is done first. */
  const growth = async (path: string, count: number): Promise<number> => {
    resetPeak(pid);
    const { now } = residentMemory(pid);
    const begin = performance.now();
    const wanted = Array.from({ length: count }, () => `2.0.${++versions}`);
    const jobs = await Promise.all(wanted.map((version) => upload(server.address, token, path, version)));
    const uploaded = performance.now();
    await Promise.all(jobs.map(completed));
    const { peak } = residentMemory(pid);
    const [seconds, checked] = [uploaded - begin, performance.now() - uploaded].map((ms) => decimals(ms / 1_000));
    say(
      `${count} × ${decimals(statSync(path).size / 1e6)} MB: uploaded in ${seconds} s, checked ${checked} s later; ` +
        `${decimals(now)} MiB before, ${decimals(peak)} at most`,
    );
    return peak - now;
  };
  try {
    say('warm-up');
    await growth(small, 1);
    judge('growth by one upload', await growth(large, 1), 'MiB', { atMost: 64 });
    judge('growth by ten concurrent uploads', await growth(large, 10), 'MiB', { atMost: 256 });
  } finally {
    await server.stop();
  }
});
