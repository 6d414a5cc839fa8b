import { Body, Controller, Get, Inject, Put } from '@nestjs/common';
import { getListingsModule, setListingsModule, type Caller } from '@sluice/contracts';
import { validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { RequestCaller } from '../request.decorators';
import { listingsModuleBody } from './schemas';

/** The listings module's switch and entitlement, which only the owner sets. */
@Controller('api/dashboard/v1/listings')
export class ListingsController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get()
  async get(@RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(getListingsModule, {}, caller) };
  }

  @Put()
  async set(@Body() body: unknown, @RequestCaller() caller: Caller) {
    const changes = validateBody(listingsModuleBody, body);
    return { data: await this.messaging.request(setListingsModule, changes, caller) };
  }
}
