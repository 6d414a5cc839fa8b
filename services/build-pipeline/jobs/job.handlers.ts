import { Inject, Injectable } from '@nestjs/common';
import { getJob, type Job, type RequestOf } from '@sluice/contracts';
import { ReadStore } from '@sluice/document-store';
import { DomainError } from '@sluice/kernel';
import { HandlesQuery } from '@sluice/messaging';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { jobRows, jobsProjection, toJob } from './jobs.projection';

@Injectable()
export class JobHandlers {
  constructor(
    private readonly readStore: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
  ) {}

  @HandlesQuery(getJob)
  async get({ id }: RequestOf<typeof getJob>): Promise<Job> {
    const rows = this.readStore.view(jobsProjection.name, jobRows);
    const row = await this.projections.find(jobsProjection.name, () => rows.get(id));
    if (!row) throw new DomainError('JOB_NOT_FOUND', `There is no job ${id}.`);
    return toJob(row);
  }
}
