import { Body, Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { type Caller, getListingsDiagnostics, repairListings } from '@sluice/contracts';
import { validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { RequestCaller } from '../request.decorators';
import { REMOTE_PATIENCE } from './connection.controller';
import { success } from './envelope';

@Controller('svc/v1/listings-ads/diagnostics')
export class DiagnosticsController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get()
  async get(@RequestCaller() caller: Caller) {
    const found = await this.messaging.request(getListingsDiagnostics, {}, caller, REMOTE_PATIENCE);
    const wrong = found.checks.filter(({ status }) => status !== 'ok').length;
    return success(
      found,
      wrong === 0 ? 'Nothing is wrong.' : `${wrong} of ${found.checks.length} checks tell of a problem.`,
    );
  }

  @Post('repair')
  @HttpCode(200)
  async repair(@Body() body: unknown, @RequestCaller() caller: Caller) {
    const order = validateBody(repairListings.request, body);
    const repair = await this.messaging.request(repairListings, order, caller, REMOTE_PATIENCE);
    const message =
      repair.repairs.length === 0
        ? 'There was nothing to repair.'
        : repair.dry_run
          ? 'Nothing was done: this is what a repair would do.'
          : 'The repair is done, or goes on as the run that log_id names.';
    return success(repair, message);
  }
}
