import type { Type } from '@nestjs/common';
import { projectionCalls, serviceFactsCall } from '@sluice/contracts';
import type { Projections } from '@sluice/projections';
import type { ReadStore } from '@sluice/document-store';
import { answer, answerCalls } from '@sluice/messaging';
import type { ProjectionTasks } from './projection-tasks';
import type { ServiceDefinition } from './service';
import type { ServiceDiagnostics } from './service-diagnostics';

export interface ServiceCallsOptions {
  readonly definition: ServiceDefinition;
  readonly readStore: ReadStore;
  readonly projections: Projections;
  readonly tasks: ProjectionTasks;
  readonly facts: ServiceDiagnostics;
}

/** Handles the calls that every service on the bus supports: its history, its projections and the facts of its process. */
export function serviceCalls({ definition, tasks, facts, ...stores }: ServiceCallsOptions): Type {
  const { name, history } = definition;
  if (definition.projections.length === 0) return answerCalls([]);
  const calls = projectionCalls(name);
  return answerCalls([
    ...(history === undefined
      ? []
      : [
          answer(history.calls.positions, (request) => history.positions(stores, request)),
          answer(history.calls.entries, (request) => history.entries(stores, request)),
          answer(history.calls.latest, (request) => history.latest(stores, request)),
        ]),
    answer(calls.list, () => tasks.list()),
    answer(calls.rebuild, ({ name: projection }) => tasks.start('rebuild', projection)),
    answer(calls.verify, ({ name: projection }) => tasks.start('verify', projection)),
    answer(calls.applied, async ({ streams, position }) => {
      await Promise.all(streams.map((stream) => stores.projections.visible(stream, position)));
      return {};
    }),
    answer(serviceFactsCall(name), () => facts.facts()),
  ]);
}
