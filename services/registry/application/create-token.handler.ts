import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  type Caller,
  type createToken,
  credentialHash,
  newCredential,
  type ReplyOf,
  type RequestOf,
} from '@sluice/contracts';
import { CLOCK } from '@sluice/engines';
import { COMMANDS, type CommandHandling, type Sequence } from '@sluice/event-store';
import { type Clock, ValidationError } from '@sluice/kernel';
import { apps, appsOf, APPS_STREAM } from '../domain/apps';
import { token, tokenStream } from '../domain/token';
import { tokenResource } from './token-resource';

/** Injection token of the Sequence that token ids come from. */
export const TOKEN_IDS = Symbol('TokenIds');

export class CreateToken extends Command<ReplyOf<typeof createToken>> {
  constructor(
    readonly request: RequestOf<typeof createToken>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(CreateToken)
export class CreateTokenHandler implements ICommandHandler<CreateToken> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(TOKEN_IDS) private readonly ids: Sequence,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ request, caller }: CreateToken): Promise<ReplyOf<typeof createToken>> {
    const { state: registered } = await this.commands.load(apps, APPS_STREAM);
    const ownersApps = appsOf(registered, request.ownerId);
    const unknown = request.apps.filter((id) => !ownersApps.some((app) => app.id === id));
    if (unknown.length > 0) {
      throw new ValidationError({ apps: unknown.map((id) => `There is no app ${id}.`) });
    }

    const secret = newCredential('svc_pat_');
    const id = await this.ids.next(caller);
    const { events } = await this.commands.handle(
      token,
      tokenStream(id),
      { type: 'IssueToken', grant: { ...request, id }, hash: credentialHash(secret) },
      caller,
    );
    const [issued] = events;
    if (issued?.type !== 'TokenIssued') throw new Error(`The command ${caller.commandId} issued no token.`);
    const created = tokenResource(
      { ...issued.data, revoked: false },
      issued.metadata.at,
      ownersApps,
      this.clock.now(),
      null,
    );
    return { ...created, token: secret };
  }
}
