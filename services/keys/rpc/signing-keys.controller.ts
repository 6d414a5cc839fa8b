import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Payload } from '@nestjs/microservices';
import {
  type Caller,
  type ConfiguredSigningKey,
  createSigningKey,
  getSigningKey,
  type ReplyOf,
  type RequestOf,
  rotateSigningKey,
  signDigest,
  type SigningKey,
} from '@sluice/contracts';
import { CallerOf, Handles } from '@sluice/messaging';
import { CreateSigningKey } from '../application/create-signing-key.handler';
import { GetSigningKey } from '../application/get-signing-key.handler';
import { RotateSigningKey } from '../application/rotate-signing-key.handler';
import { SignDigest } from '../application/sign-digest.handler';

@Controller()
export class SigningKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(getSigningKey)
  getSigningKey(@Payload() request: RequestOf<typeof getSigningKey>): Promise<SigningKey> {
    return this.queries.execute(new GetSigningKey(request));
  }

  @Handles(createSigningKey)
  createSigningKey(
    @Payload() request: RequestOf<typeof createSigningKey>,
    @CallerOf() caller: Caller,
  ): Promise<ConfiguredSigningKey> {
    return this.commands.execute(new CreateSigningKey(request, caller));
  }

  @Handles(rotateSigningKey)
  rotateSigningKey(
    @Payload() request: RequestOf<typeof rotateSigningKey>,
    @CallerOf() caller: Caller,
  ): Promise<ConfiguredSigningKey> {
    return this.commands.execute(new RotateSigningKey(request, caller));
  }

  @Handles(signDigest)
  signDigest(@Payload() request: RequestOf<typeof signDigest>): Promise<ReplyOf<typeof signDigest>> {
    return this.queries.execute(new SignDigest(request));
  }
}
