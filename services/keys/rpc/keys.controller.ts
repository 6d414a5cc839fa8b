import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Payload } from '@nestjs/microservices';
import {
  type ApiKey,
  type Caller,
  closeAppKeys,
  createApiKey,
  deleteApiKey,
  deprecateApiKey,
  getApiKey,
  listApiKeys,
  type ReplyOf,
  type RequestOf,
  resealSecrets,
  restrictApiKey,
  revealApiKey,
  revokeApiKey,
  rotateApiKey,
} from '@sluice/contracts';
import { CallerOf, Handles } from '@sluice/messaging';
import { CloseAppKeys } from '../application/close-app-keys.handler';
import { CreateApiKey } from '../application/create-api-key.handler';
import { DeleteApiKey } from '../application/delete-api-key.handler';
import { DeprecateApiKey } from '../application/deprecate-api-key.handler';
import { GetApiKey } from '../application/get-api-key.handler';
import { ListApiKeys } from '../application/list-api-keys.handler';
import { ResealSecrets } from '../application/reseal-secrets.handler';
import { RestrictApiKey } from '../application/restrict-api-key.handler';
import { RevealApiKey } from '../application/reveal-api-key.handler';
import { RevokeApiKey } from '../application/revoke-api-key.handler';
import { RotateApiKey } from '../application/rotate-api-key.handler';

@Controller()
export class KeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(createApiKey)
  createApiKey(
    @Payload() request: RequestOf<typeof createApiKey>,
    @CallerOf() caller: Caller,
  ): Promise<ReplyOf<typeof createApiKey>> {
    return this.commands.execute(new CreateApiKey(request, caller));
  }

  @Handles(listApiKeys)
  listApiKeys(@Payload() request: RequestOf<typeof listApiKeys>): Promise<ReplyOf<typeof listApiKeys>> {
    return this.queries.execute(new ListApiKeys(request));
  }

  @Handles(getApiKey)
  getApiKey(@Payload() request: RequestOf<typeof getApiKey>): Promise<ApiKey> {
    return this.queries.execute(new GetApiKey(request));
  }

  @Handles(revokeApiKey)
  revokeApiKey(@Payload() request: RequestOf<typeof revokeApiKey>, @CallerOf() caller: Caller): Promise<ApiKey> {
    return this.commands.execute(new RevokeApiKey(request, caller));
  }

  @Handles(rotateApiKey)
  rotateApiKey(
    @Payload() request: RequestOf<typeof rotateApiKey>,
    @CallerOf() caller: Caller,
  ): Promise<ReplyOf<typeof rotateApiKey>> {
    return this.commands.execute(new RotateApiKey(request, caller));
  }

  @Handles(revealApiKey)
  revealApiKey(@Payload() request: RequestOf<typeof revealApiKey>): Promise<ReplyOf<typeof revealApiKey>> {
    return this.queries.execute(new RevealApiKey(request));
  }

  @Handles(restrictApiKey)
  restrictApiKey(@Payload() request: RequestOf<typeof restrictApiKey>, @CallerOf() caller: Caller): Promise<ApiKey> {
    return this.commands.execute(new RestrictApiKey(request, caller));
  }

  @Handles(deprecateApiKey)
  deprecateApiKey(@Payload() request: RequestOf<typeof deprecateApiKey>, @CallerOf() caller: Caller): Promise<ApiKey> {
    return this.commands.execute(new DeprecateApiKey(request, caller));
  }

  @Handles(deleteApiKey)
  deleteApiKey(
    @Payload() request: RequestOf<typeof deleteApiKey>,
    @CallerOf() caller: Caller,
  ): Promise<ReplyOf<typeof deleteApiKey>> {
    return this.commands.execute(new DeleteApiKey(request, caller));
  }

  @Handles(closeAppKeys)
  closeAppKeys(
    @Payload() request: RequestOf<typeof closeAppKeys>,
    @CallerOf() caller: Caller,
  ): Promise<ReplyOf<typeof closeAppKeys>> {
    return this.commands.execute(new CloseAppKeys(request, caller));
  }

  @Handles(resealSecrets)
  resealSecrets(@Payload() request: RequestOf<typeof resealSecrets>): Promise<ReplyOf<typeof resealSecrets>> {
    return this.commands.execute(new ResealSecrets(request));
  }
}
