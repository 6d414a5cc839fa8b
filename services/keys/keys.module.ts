import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { COMMANDS, type CommandHandling, createSequence } from '@sluice/event-store';
import { CreateApiKeyHandler, KEY_IDS } from './application/create-api-key.handler';
import { GetApiKeyHandler } from './application/get-api-key.handler';
import { ListApiKeysHandler } from './application/list-api-keys.handler';
import { ResealSecretsHandler } from './application/reseal-secrets.handler';
import { RevokeApiKeyHandler } from './application/revoke-api-key.handler';
import { SealSweep } from './processes/seal-sweep';
import { KeysController } from './rpc/keys.controller';

@Module({
  imports: [CqrsModule],
  controllers: [KeysController],
  providers: [
    CreateApiKeyHandler,
    GetApiKeyHandler,
    ListApiKeysHandler,
    ResealSecretsHandler,
    RevokeApiKeyHandler,
    SealSweep,
    {
      provide: KEY_IDS,
      inject: [COMMANDS],
      useFactory: (commands: CommandHandling) => createSequence({ commands, name: 'keys' }),
    },
  ],
})
export class KeysModule {}
