import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type Caller,
  completeConnect,
  connectMerchant,
  disconnectMerchant,
  getMerchantAccount,
  getMerchantConnection,
  type ReplyOf,
  type RequestOf,
} from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { CompleteConnect } from '../application/connection/complete-connect.handler';
import { Connect } from '../application/connection/connect.handler';
import { Disconnect } from '../application/connection/disconnect.handler';
import { GetAccount } from '../application/connection/get-account.handler';
import { GetConnection } from '../application/connection/get-connection.handler';

@Controller()
export class ConnectionController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(connectMerchant)
  connect(request: RequestOf<typeof connectMerchant>, caller: Caller): Promise<ReplyOf<typeof connectMerchant>> {
    return this.commands.execute(new Connect(request, caller));
  }

  @Handles(completeConnect)
  complete(request: RequestOf<typeof completeConnect>, caller: Caller): Promise<ReplyOf<typeof completeConnect>> {
    return this.commands.execute(new CompleteConnect(request, caller));
  }

  @Handles(disconnectMerchant)
  disconnect(_: RequestOf<typeof disconnectMerchant>, caller: Caller): Promise<ReplyOf<typeof disconnectMerchant>> {
    return this.commands.execute(new Disconnect(caller));
  }

  @Handles(getMerchantConnection)
  getConnection(): Promise<ReplyOf<typeof getMerchantConnection>> {
    return this.queries.execute(new GetConnection());
  }

  @Handles(getMerchantAccount)
  getAccount(): Promise<ReplyOf<typeof getMerchantAccount>> {
    return this.queries.execute(new GetAccount());
  }
}
