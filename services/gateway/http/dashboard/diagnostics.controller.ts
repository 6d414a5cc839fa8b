import { Controller, Get, Inject } from '@nestjs/common';
import { diagnoseCall, SERVICES, type Caller, type Diagnostics, type ServiceFacts } from '@sluice/contracts';
import { ServiceDiagnostics } from '@sluice/engines';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { RequestCaller } from '../request.decorators';

/** A process asks its own engines for 1.5 s. */
const TIMEOUT_MS = 3_000;

/** What each service knows of itself, for the operator. */
@Controller('api/dashboard/v1/diagnostics')
export class DiagnosticsController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly own: ServiceDiagnostics,
  ) {}

  /** A service that is away does not keep the others from being told. */
  @Get()
  async get(@RequestCaller() caller: Caller): Promise<{ readonly data: Diagnostics }> {
    const ask = (service: string): Promise<ServiceFacts> =>
      service === 'gateway'
        ? this.own.facts()
        : this.messaging.request(diagnoseCall(service), {}, caller, { timeoutMs: TIMEOUT_MS });
    const services = SERVICES.map(async (service) => ({ service, facts: await ask(service).catch(() => null) }));
    return { data: { services: await Promise.all(services) } };
  }
}
