import { Inject } from '@nestjs/common';
import { getJob, jobSchema, ulidSchema } from '@sluice/contracts';
import { PUBLIC_URL, type PublicUrl } from '@sluice/service-host';
import { DomainError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { z } from 'zod';
import { AccessIndex } from '../access/access-index';
import { DASHBOARD, PUBLIC } from '../access/access-policy';
import { appOf, type Access } from '../access/authentication';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes } from '../http/route';

export const jobAnswer = jobSchema.omit({ app_id: true }).extend({ status_url: z.url() });

/** Absolute URL of a job, on the caller's plane. */
export function jobUrl(publicUrl: PublicUrl, { owner }: Pick<Access, 'owner'>, id: string): string {
  return `${publicUrl()}${owner === undefined ? PUBLIC : DASHBOARD}/jobs/${id}`;
}

const notFound = () => new DomainError('JOB_NOT_FOUND', 'None of your apps has a job with this id.');

@Routes('Jobs', 'Queued work.')
export class JobsController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    private readonly index: AccessIndex,
  ) {}

  /** The job is looked up first: its app decides whether the caller may see it. */
  @ManagementRoute('GET', 'jobs/:job', {
    summary: 'Get the progress of an upload',
    answers: { 200: one(jobAnswer, 'The job.') },
  })
  async getJob(context: RequestContext) {
    const { access } = context;
    const id = context.param('job');
    if (!ulidSchema.safeParse(id).success) throw notFound();
    const { app_id: appId, ...job } = await this.messaging
      .request(getJob, { id }, access.caller)
      .catch((error: unknown) => {
        // The same message as for another owner's job, so that callers can't find out which ids exist.
        throw error instanceof DomainError && error.code === 'JOB_NOT_FOUND' ? notFound() : error;
      });
    if (appOf(access, String(appId), this.index.state) === undefined) throw notFound();
    return { ...job, status_url: jobUrl(this.publicUrl, access, id) };
  }
}
