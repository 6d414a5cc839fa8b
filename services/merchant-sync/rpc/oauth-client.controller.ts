import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  deleteOAuthClient,
  getOAuthClient,
  type OAuthClientState,
  type RequestOf,
  saveOAuthClient,
} from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { ForgetOAuthClient } from '../application/oauth-client/forget-oauth-client.handler';
import { GetOAuthClient } from '../application/oauth-client/get-oauth-client.handler';
import { SaveOAuthClient } from '../application/oauth-client/save-oauth-client.handler';

@Controller()
export class OAuthClientController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(getOAuthClient)
  get(): Promise<OAuthClientState> {
    return this.queries.execute(new GetOAuthClient());
  }

  @Handles(saveOAuthClient)
  save(request: RequestOf<typeof saveOAuthClient>): Promise<OAuthClientState> {
    return this.commands.execute(new SaveOAuthClient(request));
  }

  @Handles(deleteOAuthClient)
  delete(): Promise<OAuthClientState> {
    return this.commands.execute(new ForgetOAuthClient());
  }
}
