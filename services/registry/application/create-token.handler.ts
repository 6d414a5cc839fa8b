import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, createToken, ReplyOf, RequestOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling, type Sequence } from '@sluice/event-store';
import { ownedToken, token, tokenStream } from '../domain/token';
import { ShownSecrets } from './shown-secrets';
import { Tokens } from './tokens';

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
    private readonly secrets: ShownSecrets,
    private readonly tokens: Tokens,
  ) {}

  async execute({ request, caller }: CreateToken): Promise<ReplyOf<typeof createToken>> {
    const { unknownApps, ...grant } = request;
    // What is there already needs no app that is there still.
    if (!(await this.isIssued(caller))) await this.tokens.requireApps(request.ownerId, request.apps, unknownApps);
    const id = await this.ids.of(caller);
    const { state, repeated, plaintext } = await this.secrets.issue('svc_pat_', caller, ({ hash, sealId }) => {
      const command = { type: 'IssueToken', grant: { ...grant, id }, secret: { hash, sealId } } as const;
      return this.commands.handle(token, tokenStream(id), command, caller);
    });
    const issued = ownedToken(state, request.ownerId);
    const shown = repeated ? await this.secrets.plaintext(issued.sealId) : plaintext;
    return { ...(await this.tokens.resource(issued)), token: shown };
  }

  /** Whether the command was given before. */
  private async isIssued(caller: Caller): Promise<boolean> {
    const id = await this.ids.given(caller);
    return id !== undefined && (await this.commands.repeat(token, tokenStream(id), caller)) !== undefined;
  }
}
