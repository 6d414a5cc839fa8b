import { Controller, Get, Inject, Param } from '@nestjs/common';
import { getJob, ulidSchema, type Caller } from '@sluice/contracts';
import { PUBLIC_URL, type PublicUrl } from '@sluice/engines';
import { DomainError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { AccessIndex } from '../../projections/access-index';
import type { KnownToken } from '../../projections/access-state';
import { RequestCaller, RequestToken } from '../request.decorators';

/** Absolute address of a job. */
export const jobUrl = (publicUrl: PublicUrl, id: string): string => `${publicUrl()}/api/public/v1/jobs/${id}`;

const notFound = () => new DomainError('JOB_NOT_FOUND', 'There is no such job among those of this token.');

@Controller('api/public/v1/jobs')
export class JobsController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    private readonly access: AccessIndex,
  ) {}

  @Get(':job')
  async get(@Param('job') id: string, @RequestToken() token: KnownToken, @RequestCaller() caller: Caller) {
    if (!ulidSchema.safeParse(id).success) throw notFound();
    const { app_id: appId, ...job } = await this.messaging.request(getJob, { id }, caller).catch((error: unknown) => {
      // In the words of one that is another's: which there are is nobody's business.
      throw error instanceof DomainError && error.code === 'JOB_NOT_FOUND' ? notFound() : error;
    });
    if (this.access.state.reachableApp(token, String(appId)) === undefined) throw notFound();
    return { data: { ...job, status_url: jobUrl(this.publicUrl, id) } };
  }
}
