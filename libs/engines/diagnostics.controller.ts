import { Controller, type Type } from '@nestjs/common';
import { diagnoseCall, type ServiceFacts } from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { ServiceDiagnostics } from './service-diagnostics';

/** Answers for the process of one service. */
export function diagnosticsController(service: string): Type {
  @Controller()
  class DiagnosticsController {
    constructor(private readonly diagnostics: ServiceDiagnostics) {}

    @Handles(diagnoseCall(service))
    facts(): Promise<ServiceFacts> {
      return this.diagnostics.facts();
    }
  }
  return DiagnosticsController;
}
