import { Inject } from '@nestjs/common';
import {
  PROJECTING_SERVICES,
  projectionCalls,
  projectionSchema,
  type Caller,
  type ProjectionStatus,
} from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { z } from 'zod';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes } from '../http/route';

const begun = {
  answers: { 202: one(projectionSchema, 'The read model, with its task in progress.') },
  refusals: ['PROJECTION_BUSY'],
};

@Routes('Projections', 'Read models of the installation, for the operator only.')
export class ProjectionsController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @DashboardRoute('GET', 'projections', {
    operator: true,
    summary: 'List the read models and their progress',
    answers: { 200: one(z.array(projectionSchema), 'Every read model.') },
  })
  listProjections({ caller }: RequestContext) {
    return this.all(caller);
  }

  @DashboardRoute('GET', 'projections/:name', {
    operator: true,
    summary: 'Get a read model, its progress, and the result of its last rebuild or verification',
    answers: { 200: one(projectionSchema, 'The read model.') },
  })
  getProjection(context: RequestContext) {
    return this.find(context.param('name'), context.caller);
  }

  @DashboardRoute('POST', 'projections/:name/rebuild', {
    operator: true,
    summary: 'Rebuild a read model from all events while the current one serves reads',
    ...begun,
  })
  rebuildProjection(context: RequestContext) {
    return this.begin('rebuild', context);
  }

  @DashboardRoute('POST', 'projections/:name/verify', {
    operator: true,
    summary: 'Verify a read model: replay all events and compare the result row by row',
    ...begun,
  })
  verifyProjection(context: RequestContext) {
    return this.begin('verify', context);
  }

  private async begin(task: 'rebuild' | 'verify', context: RequestContext): Promise<ProjectionStatus> {
    const name = context.param('name');
    const { service } = await this.find(name, context.caller);
    return this.messaging.request(projectionCalls(service)[task], { name }, context.caller);
  }

  private async all(caller: Caller): Promise<ProjectionStatus[]> {
    const lists = PROJECTING_SERVICES.map((service) =>
      this.messaging.request(projectionCalls(service).list, {}, caller),
    );
    return (await Promise.all(lists)).flat();
  }

  private async find(name: string, caller: Caller): Promise<ProjectionStatus> {
    const found = (await this.all(caller)).find((projection) => projection.name === name);
    if (found === undefined) throw new DomainError('PROJECTION_NOT_FOUND', 'There is no projection with this name.');
    return found;
  }
}
