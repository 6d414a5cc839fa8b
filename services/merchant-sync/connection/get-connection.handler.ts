import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { getMerchantConnection, type ReplyOf } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { SealedTokens } from './connection-tokens';
import { SavedSettings } from '../settings/saved-settings';

export class GetConnection extends QueryOf(getMerchantConnection) {}

@QueryHandler(GetConnection)
export class GetConnectionHandler implements IQueryHandler<GetConnection> {
  constructor(
    private readonly saved: SavedSettings,
    private readonly tokens: SealedTokens,
  ) {}

  async execute(): Promise<ReplyOf<typeof getMerchantConnection>> {
    const { connection } = await this.saved.ofWorkingModule();
    if (connection === null) return { connected: false, email: null };
    const found = await this.tokens.find(connection.id);
    return { connected: true, email: typeof found === 'object' ? found.tokens.email : null };
  }
}
