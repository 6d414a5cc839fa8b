import { Controller, Get, Inject, Param } from '@nestjs/common';
import { getJob, ulidSchema } from '@sluice/contracts';
import { PUBLIC_URL, type PublicUrl } from '@sluice/engines';
import { DomainError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { AccessIndex } from '../../projections/access-index';
import { DASHBOARD, forTokensAndOwners, PUBLIC } from '../access-policy';
import { appOf, type Access } from '../authentication';
import { RequestAccess } from '../request.decorators';

/** Absolute address of a job, on the plane of who asks. */
export function jobUrl(publicUrl: PublicUrl, { owner }: Pick<Access, 'owner'>, id: string): string {
  return `${publicUrl()}${owner === undefined ? PUBLIC : DASHBOARD}/jobs/${id}`;
}

const notFound = () => new DomainError('JOB_NOT_FOUND', 'There is no such job among those of your apps.');

@Controller(forTokensAndOwners('jobs'))
export class JobsController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    private readonly index: AccessIndex,
  ) {}

  @Get(':job')
  async get(@Param('job') id: string, @RequestAccess() access: Access) {
    if (!ulidSchema.safeParse(id).success) throw notFound();
    const { app_id: appId, ...job } = await this.messaging
      .request(getJob, { id }, access.caller)
      .catch((error: unknown) => {
        // In the words of one that is another's: which there are is nobody's business.
        throw error instanceof DomainError && error.code === 'JOB_NOT_FOUND' ? notFound() : error;
      });
    if (appOf(access, String(appId), this.index.state) === undefined) throw notFound();
    return { data: { ...job, status_url: jobUrl(this.publicUrl, access, id) } };
  }
}
