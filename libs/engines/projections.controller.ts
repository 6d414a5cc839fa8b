import { Controller, type Type } from '@nestjs/common';
import { projectionCalls, type ProjectionCalls, type ProjectionStatus, type RequestOf } from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { ProjectionTasks } from './projection-tasks';

/** Answers for the projections of one service. */
export function projectionsController(service: string): Type {
  const calls = projectionCalls(service);

  @Controller()
  class ProjectionsController {
    constructor(private readonly tasks: ProjectionTasks) {}

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
  }
  return ProjectionsController;
}
