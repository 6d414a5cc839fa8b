import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type Caller,
  deleteKeystore,
  getKeystore,
  type Keystore,
  openKeystore,
  prepareKeystore,
  type ReplyOf,
  type RequestOf,
  storeKeystore,
} from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { DeleteKeystore } from '../application/delete-keystore.handler';
import { GetKeystore } from '../application/get-keystore.handler';
import { OpenKeystore } from '../application/open-keystore.handler';
import { PrepareKeystore } from '../application/prepare-keystore.handler';
import { StoreKeystore } from '../application/store-keystore.handler';

@Controller()
export class KeystoresController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(getKeystore)
  getKeystore(request: RequestOf<typeof getKeystore>): Promise<Keystore> {
    return this.queries.execute(new GetKeystore(request));
  }

  @Handles(prepareKeystore)
  prepareKeystore(): Promise<ReplyOf<typeof prepareKeystore>> {
    return this.queries.execute(new PrepareKeystore());
  }

  @Handles(storeKeystore)
  storeKeystore(request: RequestOf<typeof storeKeystore>, caller: Caller): Promise<ReplyOf<typeof storeKeystore>> {
    return this.commands.execute(new StoreKeystore(request, caller));
  }

  @Handles(deleteKeystore)
  deleteKeystore(request: RequestOf<typeof deleteKeystore>, caller: Caller): Promise<ReplyOf<typeof deleteKeystore>> {
    return this.commands.execute(new DeleteKeystore(request, caller));
  }

  @Handles(openKeystore)
  openKeystore(request: RequestOf<typeof openKeystore>): Promise<ReplyOf<typeof openKeystore>> {
    return this.queries.execute(new OpenKeystore(request));
  }
}
