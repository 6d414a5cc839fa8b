import { Controller, Inject, type Type } from '@nestjs/common';
import { projectionCalls, type ProjectionCalls, type ProjectionStatus, type RequestOf } from '@sluice/contracts';
import { PROJECTIONS, type Projections } from '@sluice/document-store';
import { Handles } from '@sluice/messaging';
import { ProjectionTasks } from './projection-tasks';

/** Answers for the projections of one service. */
export function projectionsController(service: string): Type {
  const calls = projectionCalls(service);

  @Controller()
  class ProjectionsController {
    constructor(
      private readonly tasks: ProjectionTasks,
      @Inject(PROJECTIONS) private readonly projections: Projections,
    ) {}

    @Handles(calls.list)
    list(): Promise<ProjectionStatus[]> {
      return this.tasks.list();
    }

    @Handles(calls.rebuild)
    rebuild({ name }: RequestOf<ProjectionCalls['rebuild']>): Promise<ProjectionStatus> {
      return this.tasks.start('rebuild', name);
    }

    @Handles(calls.verify)
    verify({ name }: RequestOf<ProjectionCalls['verify']>): Promise<ProjectionStatus> {
      return this.tasks.start('verify', name);
    }

    @Handles(calls.applied)
    async applied({ streams, position }: RequestOf<ProjectionCalls['applied']>): Promise<object> {
      await Promise.all(streams.map((stream) => this.projections.visible(stream, position)));
      return {};
    }
  }
  return ProjectionsController;
}
