import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SETTINGS, type Settings } from '@sluice/config';
import { type Caller, createToken, type ReplyOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling, type Sequence } from '@sluice/event-store';
import { DomainError, KeyedMutex } from '@sluice/kernel';
import { CommandOf } from '@sluice/messaging';
import { ownedToken, token, tokenStream } from './domain/token';
import { OneTimeSecrets } from './one-time-secrets';
import { Tokens } from './tokens';

/** Injection token of the Sequence that token ids come from. */
export const TOKEN_IDS = Symbol('TokenIds');

export class CreateToken extends CommandOf(createToken) {}

@CommandHandler(CreateToken)
export class CreateTokenHandler implements ICommandHandler<CreateToken> {
  private readonly owners = new KeyedMutex();

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(TOKEN_IDS) private readonly ids: Sequence,
    private readonly secrets: OneTimeSecrets,
    private readonly tokens: Tokens,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'tokenLimit'>,
  ) {}

  /** One after another for each owner, so that they count each other. */
  execute(command: CreateToken): Promise<ReplyOf<typeof createToken>> {
    return this.owners.run(String(command.request.ownerId), () => this.create(command));
  }

  private async create({ request, caller }: CreateToken): Promise<ReplyOf<typeof createToken>> {
    const { unknownApps, ...grant } = request;
    // What is there already needs no app that is there still.
    if (!(await this.isIssued(caller))) {
      await this.tokens.requireApps(request.ownerId, request.apps, unknownApps);
      await this.requireRoom(request.ownerId);
    }
    const id = await this.ids.of(caller);
    const { state, repeated, plaintext } = await this.secrets.issue('svc_pat_', caller, ({ hash, sealId }) => {
      const command = { type: 'IssueToken', grant: { ...grant, id }, secret: { hash, sealId } } as const;
      return this.commands.handle(token, tokenStream(id), command, caller);
    });
    const issued = ownedToken(state, request.ownerId);
    const shown = repeated ? await this.secrets.plaintext(issued.sealId) : plaintext;
    return { ...(await this.tokens.resource(issued)), token: shown };
  }

  /** Replicas that create tokens of one owner simultaneously may pass the limit by one each. @throws DomainError */
  private async requireRoom(ownerId: number): Promise<void> {
    const { tokenLimit } = this.settings;
    if ((await this.tokens.countActive(ownerId)) < tokenLimit) return;
    throw new DomainError(
      'TOKEN_LIMIT_REACHED',
      `The owner has ${tokenLimit} active tokens and can have no more. Revoke one that is no longer used.`,
      { limit: tokenLimit },
    );
  }

  /** Whether the command was given before. */
  private async isIssued(caller: Caller): Promise<boolean> {
    const id = await this.ids.given(caller);
    return id !== undefined && (await this.commands.repeat(token, tokenStream(id), caller)) !== undefined;
  }
}
