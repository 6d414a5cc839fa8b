import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type AccessToken, type Caller, lastUses, type RequestOf, type revokeToken } from '@sluice/contracts';
import { type DocumentStore, STATE_STORE } from '@sluice/document-store';
import { CLOCK } from '@sluice/engines';
import { COMMANDS, type CommandHandling, EVENT_STORE, type EventStore } from '@sluice/event-store';
import type { Clock } from '@sluice/kernel';
import { apps, appsOf, APPS_STREAM } from '../domain/apps';
import { token, tokenStream } from '../domain/token';
import { tokenResource } from './token-resource';

export class RevokeToken extends Command<AccessToken> {
  constructor(
    readonly request: RequestOf<typeof revokeToken>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(RevokeToken)
export class RevokeTokenHandler implements ICommandHandler<RevokeToken> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(STATE_STORE) private readonly stateStore: DocumentStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ request: { id, ownerId }, caller }: RevokeToken): Promise<AccessToken> {
    const { state } = await this.commands.handle(token, tokenStream(id), { type: 'RevokeToken', ownerId }, caller);
    const { state: registered } = await this.commands.load(apps, APPS_STREAM);
    const ownersApps = appsOf(registered, ownerId);
    const [lastUsedAt = null] = await lastUses(this.stateStore, [id]);
    for await (const issued of this.events.readStream(tokenStream(id), { limit: 1 })) {
      if (state !== undefined)
        return tokenResource(state, issued.metadata.at, ownersApps, this.clock.now(), lastUsedAt);
    }
    throw new Error(`The stream of the token ${id} is empty after its revocation.`);
  }
}
