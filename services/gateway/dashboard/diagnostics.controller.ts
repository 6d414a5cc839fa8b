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

@Routes('Diagnostics', 'What each service knows of itself, for the operator alone; sluice doctor judges it.')
export class DiagnosticsController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly own: ServiceDiagnostics,
  ) {}

  /** A service that is away does not keep the others from being told. */
  @DashboardRoute('GET', 'diagnostics', {
    operator: true,
    summary: 'Versions, engines, read models, disk and traffic of every service, one process of each',
    answers: { 200: one(diagnosticsSchema, 'The facts; null for a service that does not answer.') },
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
