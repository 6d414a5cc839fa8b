import { Readable } from 'node:stream';
import { readSettings } from '@sluice/config';
import { acceptBuild, deleteBuild, getBuild, getJob, listBuilds, type Caller, type Job } from '@sluice/contracts';
import { openEngines, type Engines } from '@sluice/engines';
import { startService, type RunningService } from '@sluice/service-host';
import { newCommandId } from '@sluice/kernel';
import { createLogger } from '@sluice/telemetry';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { buildPipeline } from '../build-pipeline.service';

describe('a build that is deleted while it is processing', () => {
  let dataDir: string;
  let engines: Engines;
  let service: RunningService;

  beforeEach(async () => {
    dataDir = temporaryDirectory();
    const settings = readSettings({ DATA_DIR: dataDir, JOB_CONTENT_RETRY_DELAYS_MS: '3600000' });
    engines = await openEngines(settings, 'test');
    service = await startService(buildPipeline, engines, () => 'http://localhost', createLogger('silent'));
  });

  afterEach(async () => {
    await service.stop();
    await engines.close();
  });

  const caller = (): Caller => ({ actor: 'token:1', commandId: newCommandId() });

  async function upload() {
    const { size, sha256 } = await engines.objects.put('bundles/text.zip', Readable.from([Buffer.from('no zip')]));
    const request = {
      ...({ appId: 7, channel: 'staging' } as const),
      ...{ version: '1.0.0', objectKey: 'bundles/text.zip', size, checksum: sha256 },
      ...{ signature: null, releaseNotes: null, minNativeVersion: null, rolloutPercentage: 100, mandatory: false },
    };
    return engines.messaging.request(acceptBuild, request, caller());
  }

  async function jobOnce(id: string, is: (job: Job) => boolean): Promise<Job> {
    return eventually(async () => {
      const job = await engines.messaging.request(getJob, { id }, caller());
      return is(job) && job;
    });
  }

  it('has its job closed immediately, between two attempts, with an error that states the reason', async () => {
    const { job_id, build } = await upload();
    await jobOnce(job_id, ({ attempts, status }) => attempts === 1 && status === 'pending');
    const request = { appId: 7, id: build.id };
    expect(await engines.messaging.request(deleteBuild, request, caller())).toEqual({ deleted: true, id: build.id });
    const job = await jobOnce(job_id, ({ status }) => status === 'failed');
    expect(job).toMatchObject({ attempts: 1, error: expect.stringContaining('deleted') });

    const notFound = expect.objectContaining({ code: 'BUILD_NOT_FOUND' }) as Error;
    await expect(engines.messaging.request(getBuild, request, caller())).rejects.toEqual(notFound);
    await expect(engines.messaging.request(deleteBuild, request, caller())).rejects.toEqual(notFound);
    const list = await engines.messaging.request(listBuilds, { appId: 7, page: 1, perPage: 20 }, caller());
    expect(list).toEqual({ items: [], total: 0 });
    expect((await upload()).build).toMatchObject({ version: '1.0.0', status: 'processing' });
  });
});
