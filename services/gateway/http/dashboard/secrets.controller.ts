import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { resealSecrets, type Caller } from '@sluice/contracts';
import { validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { RequestCaller } from '../request.decorators';

/** The sealed secrets of the whole installation, which only the operator cares for. */
@Controller('api/dashboard/v1/secrets')
export class SecretsController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /** One part; the body's `after` is the `next` of the part before. */
  @Post('reseal')
  @HttpCode(200)
  async reseal(@Body() body: unknown, @RequestCaller() caller: Caller) {
    const part = validateBody(resealSecrets.request, body);
    return { data: await this.messaging.request(resealSecrets, part, caller) };
  }
}
