import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type ReplyOf, signDigest } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { SigningKeys } from './signing-keys';

export class SignDigest extends QueryOf(signDigest) {}

@QueryHandler(SignDigest)
export class SignDigestHandler implements IQueryHandler<SignDigest> {
  constructor(private readonly keys: SigningKeys) {}

  execute({ request: { appId, digest } }: SignDigest): Promise<ReplyOf<typeof signDigest>> {
    return this.keys.sign(appId, digest);
  }
}
