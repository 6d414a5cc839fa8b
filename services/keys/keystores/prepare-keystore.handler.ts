import { randomBytes } from 'node:crypto';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { prepareKeystore, type ReplyOf } from '@sluice/contracts';
import { newUlid } from '@sluice/kernel';
import { QueryOf } from '@sluice/messaging';
import { KEYSTORE_OBJECTS } from './domain/keystore';

export class PrepareKeystore extends QueryOf(prepareKeystore) {}

@QueryHandler(PrepareKeystore)
export class PrepareKeystoreHandler implements IQueryHandler<PrepareKeystore> {
  execute(): Promise<ReplyOf<typeof prepareKeystore>> {
    const dataKey = randomBytes(32).toString('base64');
    return Promise.resolve({ objectKey: `${KEYSTORE_OBJECTS}${newUlid()}`, dataKey });
  }
}
