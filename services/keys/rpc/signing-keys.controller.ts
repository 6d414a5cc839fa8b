import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type Caller,
  type ConfiguredSigningKey,
  createSigningKey,
  getSigningKey,
  type ListedSigningKey,
  listSigningKeys,
  type ReplyOf,
  type RequestOf,
  retireSigningKey,
  rotateSigningKey,
  signDigest,
  type SigningKey,
} from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { CreateSigningKey } from '../application/create-signing-key.handler';
import { GetSigningKey } from '../application/get-signing-key.handler';
import { ListSigningKeys } from '../application/list-signing-keys.handler';
import { RetireSigningKey } from '../application/retire-signing-key.handler';
import { RotateSigningKey } from '../application/rotate-signing-key.handler';
import { SignDigest } from '../application/sign-digest.handler';

@Controller()
export class SigningKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(getSigningKey)
  getSigningKey(request: RequestOf<typeof getSigningKey>): Promise<SigningKey> {
    return this.queries.execute(new GetSigningKey(request));
  }

  @Handles(createSigningKey)
  createSigningKey(request: RequestOf<typeof createSigningKey>, caller: Caller): Promise<ConfiguredSigningKey> {
    return this.commands.execute(new CreateSigningKey(request, caller));
  }

  @Handles(rotateSigningKey)
  rotateSigningKey(request: RequestOf<typeof rotateSigningKey>, caller: Caller): Promise<ConfiguredSigningKey> {
    return this.commands.execute(new RotateSigningKey(request, caller));
  }

  @Handles(listSigningKeys)
  listSigningKeys(request: RequestOf<typeof listSigningKeys>): Promise<ReplyOf<typeof listSigningKeys>> {
    return this.queries.execute(new ListSigningKeys(request));
  }

  @Handles(retireSigningKey)
  retireSigningKey(request: RequestOf<typeof retireSigningKey>, caller: Caller): Promise<ListedSigningKey> {
    return this.commands.execute(new RetireSigningKey(request, caller));
  }

  @Handles(signDigest)
  signDigest(request: RequestOf<typeof signDigest>): Promise<ReplyOf<typeof signDigest>> {
    return this.queries.execute(new SignDigest(request));
  }
}
