import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { actorNames, type ReplyOf } from '@sluice/contracts';
import { ReadStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { QueryOf } from '@sluice/messaging';
import { owner, ownerStream } from './domain/owner';
import { tokenRows, tokensProjection } from '../tokens/tokens.projection';

export class ActorNames extends QueryOf(actorNames) {}

/** A revoked token still has its name. */
@QueryHandler(ActorNames)
export class ActorNamesHandler implements IQueryHandler<ActorNames> {
  constructor(
    private readonly documents: ReadStore,
    @Inject(COMMANDS) private readonly commands: CommandHandling,
  ) {}

  async execute({ request: { actors } }: ActorNames): Promise<ReplyOf<typeof actorNames>> {
    const named = await Promise.all(actors.map(async (actor) => [actor, await this.nameOf(actor)] as const));
    return Object.fromEntries(named.flatMap(([actor, name]) => (name === undefined ? [] : [[actor, name]])));
  }

  private async nameOf(actor: string): Promise<string | undefined> {
    const [, kind, id] = /^(token|owner):(\d{1,15})$/.exec(actor) ?? [];
    if (id === undefined) return undefined;
    if (kind === 'token') return (await this.documents.view(tokensProjection.name, tokenRows).get(id))?.name;
    return (await this.commands.load(owner, ownerStream(Number(id)))).state?.name;
  }
}
