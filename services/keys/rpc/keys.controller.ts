import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type ApiKey,
  type Caller,
  type BlockedCallers,
  closeAppKeys,
  countBlockedCallers,
  createApiKey,
  deleteApiKey,
  deprecateApiKey,
  getApiKey,
  listApiKeys,
  listDataKeys,
  type ReplyOf,
  type RequestOf,
  resealSecrets,
  restrictApiKey,
  revealApiKey,
  revokeApiKey,
  rotateApiKey,
  rotateDataKeys,
} from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { CloseAppKeys } from '../application/close-app-keys.handler';
import { CountBlockedCallers } from '../application/count-blocked-callers.handler';
import { CreateApiKey } from '../application/create-api-key.handler';
import { DeleteApiKey } from '../application/delete-api-key.handler';
import { DeprecateApiKey } from '../application/deprecate-api-key.handler';
import { GetApiKey } from '../application/get-api-key.handler';
import { ListApiKeys } from '../application/list-api-keys.handler';
import { ListDataKeys } from '../application/list-data-keys.handler';
import { ResealSecrets } from '../application/reseal-secrets.handler';
import { RestrictApiKey } from '../application/restrict-api-key.handler';
import { RevealApiKey } from '../application/reveal-api-key.handler';
import { RevokeApiKey } from '../application/revoke-api-key.handler';
import { RotateApiKey } from '../application/rotate-api-key.handler';
import { RotateDataKeys } from '../application/rotate-data-keys.handler';

@Controller()
export class KeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(createApiKey)
  createApiKey(request: RequestOf<typeof createApiKey>, caller: Caller): Promise<ReplyOf<typeof createApiKey>> {
    return this.commands.execute(new CreateApiKey(request, caller));
  }

  @Handles(listApiKeys)
  listApiKeys(request: RequestOf<typeof listApiKeys>): Promise<ReplyOf<typeof listApiKeys>> {
    return this.queries.execute(new ListApiKeys(request));
  }

  @Handles(countBlockedCallers)
  countBlockedCallers(request: RequestOf<typeof countBlockedCallers>): Promise<BlockedCallers[]> {
    return this.queries.execute(new CountBlockedCallers(request));
  }

  @Handles(getApiKey)
  getApiKey(request: RequestOf<typeof getApiKey>): Promise<ApiKey> {
    return this.queries.execute(new GetApiKey(request));
  }

  @Handles(revokeApiKey)
  revokeApiKey(request: RequestOf<typeof revokeApiKey>, caller: Caller): Promise<ApiKey> {
    return this.commands.execute(new RevokeApiKey(request, caller));
  }

  @Handles(rotateApiKey)
  rotateApiKey(request: RequestOf<typeof rotateApiKey>, caller: Caller): Promise<ReplyOf<typeof rotateApiKey>> {
    return this.commands.execute(new RotateApiKey(request, caller));
  }

  @Handles(revealApiKey)
  revealApiKey(request: RequestOf<typeof revealApiKey>): Promise<ReplyOf<typeof revealApiKey>> {
    return this.queries.execute(new RevealApiKey(request));
  }

  @Handles(restrictApiKey)
  restrictApiKey(request: RequestOf<typeof restrictApiKey>, caller: Caller): Promise<ApiKey> {
    return this.commands.execute(new RestrictApiKey(request, caller));
  }

  @Handles(deprecateApiKey)
  deprecateApiKey(request: RequestOf<typeof deprecateApiKey>, caller: Caller): Promise<ApiKey> {
    return this.commands.execute(new DeprecateApiKey(request, caller));
  }

  @Handles(deleteApiKey)
  deleteApiKey(request: RequestOf<typeof deleteApiKey>, caller: Caller): Promise<ReplyOf<typeof deleteApiKey>> {
    return this.commands.execute(new DeleteApiKey(request, caller));
  }

  @Handles(closeAppKeys)
  closeAppKeys(request: RequestOf<typeof closeAppKeys>, caller: Caller): Promise<ReplyOf<typeof closeAppKeys>> {
    return this.commands.execute(new CloseAppKeys(request, caller));
  }

  @Handles(resealSecrets)
  resealSecrets(request: RequestOf<typeof resealSecrets>): Promise<ReplyOf<typeof resealSecrets>> {
    return this.commands.execute(new ResealSecrets(request));
  }

  @Handles(listDataKeys)
  listDataKeys(): Promise<ReplyOf<typeof listDataKeys>> {
    return this.queries.execute(new ListDataKeys());
  }

  @Handles(rotateDataKeys)
  rotateDataKeys(request: RequestOf<typeof rotateDataKeys>, caller: Caller): Promise<ReplyOf<typeof rotateDataKeys>> {
    return this.commands.execute(new RotateDataKeys(request, caller));
  }
}
