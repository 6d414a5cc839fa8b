import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { ReplyOf, RequestOf, signDigest } from '@sluice/contracts';
import { SigningKeys } from './signing-keys';

export class SignDigest extends Query<ReplyOf<typeof signDigest>> {
  constructor(readonly request: RequestOf<typeof signDigest>) {
    super();
  }
}

@QueryHandler(SignDigest)
export class SignDigestHandler implements IQueryHandler<SignDigest> {
  constructor(private readonly keys: SigningKeys) {}

  execute({ request: { appId, digest } }: SignDigest): Promise<ReplyOf<typeof signDigest>> {
    return this.keys.sign(appId, digest);
  }
}
