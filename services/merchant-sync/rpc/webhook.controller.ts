import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  clearDeadLetters,
  deleteWebhook,
  getWebhook,
  listDeadLetters,
  type ReplyOf,
  type RequestOf,
  resendDeadLetters,
  saveWebhook,
} from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { ClearDeadLetters } from '../application/webhook/clear-dead-letters.handler';
import { DeleteWebhook } from '../application/webhook/delete-webhook.handler';
import { GetWebhook } from '../application/webhook/get-webhook.handler';
import { ListDeadLetters } from '../application/webhook/list-dead-letters.handler';
import { ResendDeadLetters } from '../application/webhook/resend-dead-letters.handler';
import { SaveWebhook } from '../application/webhook/save-webhook.handler';

@Controller()
export class WebhookController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(getWebhook)
  get(): Promise<ReplyOf<typeof getWebhook>> {
    return this.queries.execute(new GetWebhook());
  }

  @Handles(saveWebhook)
  save(request: RequestOf<typeof saveWebhook>): Promise<ReplyOf<typeof saveWebhook>> {
    return this.commands.execute(new SaveWebhook(request));
  }

  @Handles(deleteWebhook)
  delete(): Promise<ReplyOf<typeof deleteWebhook>> {
    return this.commands.execute(new DeleteWebhook());
  }

  @Handles(listDeadLetters)
  deadLetters(request: RequestOf<typeof listDeadLetters>): Promise<ReplyOf<typeof listDeadLetters>> {
    return this.queries.execute(new ListDeadLetters(request));
  }

  @Handles(resendDeadLetters)
  resend(request: RequestOf<typeof resendDeadLetters>): Promise<ReplyOf<typeof resendDeadLetters>> {
    return this.commands.execute(new ResendDeadLetters(request));
  }

  @Handles(clearDeadLetters)
  clear(): Promise<ReplyOf<typeof clearDeadLetters>> {
    return this.commands.execute(new ClearDeadLetters());
  }
}
