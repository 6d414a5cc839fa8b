import { Body, Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { type Caller, listDataKeys, resealSecrets, rotateDataKeys } from '@sluice/contracts';
import { validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { RequestCaller } from '../request.decorators';
import { Sessions } from '../sessions';
import { rotateDataKeysBody } from './schemas';

/** The sealed secrets of the whole installation, which only the operator cares for. */
@Controller('api/dashboard/v1/secrets')
export class SecretsController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly sessions: Sessions,
  ) {}

  /** One part; the body's `after` is the `next` of the part before. */
  @Post('reseal')
  @HttpCode(200)
  async reseal(@Body() body: unknown, @RequestCaller() caller: Caller) {
    const part = validateBody(resealSecrets.request, body);
    return { data: await this.messaging.request(resealSecrets, part, caller) };
  }

  @Get('data-keys')
  async dataKeys(@RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(listDataKeys, {}, caller) };
  }

  /** Makes a new version of the data keys named, or of all. */
  @Post('data-keys/rotate')
  @HttpCode(200)
  async rotateDataKeys(@Body() body: unknown, @RequestCaller() caller: Caller) {
    const { end_sessions: endSessions, ...request } = validateBody(rotateDataKeysBody, body);
    const { keys } = await this.messaging.request(rotateDataKeys, request, caller);
    // After the rotation: sessions that begin meanwhile with the former version end as well.
    return { data: { keys, ended_sessions: endSessions ? await this.sessions.endAll() : 0 } };
  }
}
