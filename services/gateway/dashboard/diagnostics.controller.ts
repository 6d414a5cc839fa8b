import { Inject } from '@nestjs/common';
import {
  diagnosticsSchema,
  formerFactsCall,
  SERVICES,
  serviceFactsCall,
  type Diagnostics,
  type ServiceFacts,
} from '@sluice/contracts';
import { ServiceDiagnostics } from '@sluice/service-host';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes } from '../http/route';

/** A process asks its own engines for 1.5 s. */
const TIMEOUT_MS = 3_000;

@Routes('Diagnostics', 'Diagnostics of each service, for the operator only; `sluice doctor` evaluates them.')
export class DiagnosticsController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly own: ServiceDiagnostics,
  ) {}

  /** An unavailable service must not hide the others. */
  @DashboardRoute('GET', 'diagnostics', {
    operator: true,
    summary: 'Get versions, engines, read models, disk and traffic of one process of each service',
    answers: { 200: one(diagnosticsSchema, 'The diagnostics; null for a service that does not respond.') },
  })
  async getDiagnostics({ caller }: RequestContext): Promise<Diagnostics> {
    const ask = (service: string): Promise<ServiceFacts> =>
      service === 'gateway'
        ? this.own.facts()
        : Promise.any(
            [serviceFactsCall(service), formerFactsCall(service)].map((call) =>
              this.messaging.request(call, {}, caller, { timeoutMs: TIMEOUT_MS }),
            ),
          );
    const services = SERVICES.map(async (service) => ({ service, facts: await ask(service).catch(() => null) }));
    return { services: await Promise.all(services) };
  }
}
