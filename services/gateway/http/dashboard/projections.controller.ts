import { Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { PROJECTING_SERVICES, projectionCalls, type Caller, type ProjectionStatus } from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { RequestCaller } from '../request.decorators';

/** The read models of the whole installation, which only the operator cares for. */
@Controller('api/dashboard/v1/projections')
export class ProjectionsController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get()
  async list(@RequestCaller() caller: Caller) {
    return { data: await this.all(caller) };
  }

  @Get(':name')
  async get(@Param('name') name: string, @RequestCaller() caller: Caller) {
    return { data: await this.find(name, caller) };
  }

  @Post(':name/rebuild')
  @HttpCode(202)
  async rebuild(@Param('name') name: string, @RequestCaller() caller: Caller) {
    const { service } = await this.find(name, caller);
    return { data: await this.messaging.request(projectionCalls(service).rebuild, { name }, caller) };
  }

  @Post(':name/verify')
  @HttpCode(202)
  async verify(@Param('name') name: string, @RequestCaller() caller: Caller) {
    const { service } = await this.find(name, caller);
    return { data: await this.messaging.request(projectionCalls(service).verify, { name }, caller) };
  }

  private async all(caller: Caller): Promise<ProjectionStatus[]> {
    const lists = PROJECTING_SERVICES.map((service) =>
      this.messaging.request(projectionCalls(service).list, {}, caller),
    );
    return (await Promise.all(lists)).flat();
  }

  private async find(name: string, caller: Caller): Promise<ProjectionStatus> {
    const found = (await this.all(caller)).find((projection) => projection.name === name);
    if (found === undefined) throw new DomainError('PROJECTION_NOT_FOUND', 'There is no such projection.');
    return found;
  }
}
