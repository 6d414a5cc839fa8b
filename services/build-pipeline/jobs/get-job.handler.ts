import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { getJob, type Job } from '@sluice/contracts';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { ReadStore } from '@sluice/document-store';
import { DomainError } from '@sluice/kernel';
import { QueryOf } from '@sluice/messaging';
import { jobRows, jobsProjection, toJob } from './jobs.projection';

export class GetJob extends QueryOf(getJob) {}

@QueryHandler(GetJob)
export class GetJobHandler implements IQueryHandler<GetJob> {
  constructor(
    private readonly readStore: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
  ) {}

  async execute({ request }: GetJob): Promise<Job> {
    const rows = this.readStore.view(jobsProjection.name, jobRows);
    const row = await this.projections.find(jobsProjection.name, () => rows.get(request.id));
    if (!row) throw new DomainError('JOB_NOT_FOUND', `There is no job ${request.id}.`);
    return toJob(row);
  }
}
