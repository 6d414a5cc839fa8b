import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { COMMANDS, type CommandHandling, createSequence } from '@sluice/event-store';
import { ApiKeyChanges } from './application/api-key-changes';
import { ApiKeySecrets } from './application/api-key-secrets';
import { CloseAppKeysHandler } from './application/close-app-keys.handler';
import { CountBlockedCallersHandler } from './application/count-blocked-callers.handler';
import { CreateApiKeyHandler, KEY_IDS } from './application/create-api-key.handler';
import { CreateSigningKeyHandler } from './application/create-signing-key.handler';
import { DataKeys } from './application/data-keys';
import { DeleteApiKeyHandler } from './application/delete-api-key.handler';
import { DeleteKeystoreHandler } from './application/delete-keystore.handler';
import { DeprecateApiKeyHandler } from './application/deprecate-api-key.handler';
import { GetApiKeyHandler } from './application/get-api-key.handler';
import { GetKeystoreHandler } from './application/get-keystore.handler';
import { GetSigningKeyHandler } from './application/get-signing-key.handler';
import { Keystores } from './application/keystores';
import { ListApiKeysHandler } from './application/list-api-keys.handler';
import { ListDataKeysHandler } from './application/list-data-keys.handler';
import { ListSigningKeysHandler } from './application/list-signing-keys.handler';
import { OpenKeystoreHandler } from './application/open-keystore.handler';
import { PrepareKeystoreHandler } from './application/prepare-keystore.handler';
import { ResealSecretsHandler } from './application/reseal-secrets.handler';
import { RestrictApiKeyHandler } from './application/restrict-api-key.handler';
import { RetireSigningKeyHandler } from './application/retire-signing-key.handler';
import { RevealApiKeyHandler } from './application/reveal-api-key.handler';
import { RevokeApiKeyHandler } from './application/revoke-api-key.handler';
import { RotateApiKeyHandler } from './application/rotate-api-key.handler';
import { RotateDataKeysHandler } from './application/rotate-data-keys.handler';
import { RotateSigningKeyHandler } from './application/rotate-signing-key.handler';
import { SignDigestHandler } from './application/sign-digest.handler';
import { SIGNING_KEY_IDS, SigningKeys } from './application/signing-keys';
import { StoreKeystoreHandler } from './application/store-keystore.handler';
import { DataKeySweep } from './processes/data-key-sweep';
import { OrphanSweep } from './processes/orphan-sweep';
import { KeysController } from './rpc/keys.controller';
import { KeystoresController } from './rpc/keystores.controller';
import { SigningKeysController } from './rpc/signing-keys.controller';

@Module({
  imports: [CqrsModule],
  controllers: [KeysController, SigningKeysController, KeystoresController],
  providers: [
    ApiKeySecrets,
    ApiKeyChanges,
    CloseAppKeysHandler,
    CountBlockedCallersHandler,
    CreateApiKeyHandler,
    DeleteApiKeyHandler,
    DeprecateApiKeyHandler,
    GetApiKeyHandler,
    ListApiKeysHandler,
    ResealSecretsHandler,
    DataKeys,
    ListDataKeysHandler,
    RotateDataKeysHandler,
    DataKeySweep,
    RestrictApiKeyHandler,
    RevealApiKeyHandler,
    RevokeApiKeyHandler,
    RotateApiKeyHandler,
    SigningKeys,
    CreateSigningKeyHandler,
    GetSigningKeyHandler,
    ListSigningKeysHandler,
    RetireSigningKeyHandler,
    RotateSigningKeyHandler,
    SignDigestHandler,
    Keystores,
    DeleteKeystoreHandler,
    GetKeystoreHandler,
    OpenKeystoreHandler,
    PrepareKeystoreHandler,
    StoreKeystoreHandler,
    OrphanSweep,
    {
      provide: SIGNING_KEY_IDS,
      inject: [COMMANDS],
      useFactory: (commands: CommandHandling) => createSequence({ commands, name: 'signingKeys' }),
    },
    {
      provide: KEY_IDS,
      inject: [COMMANDS],
      useFactory: (commands: CommandHandling) => createSequence({ commands, name: 'keys' }),
    },
  ],
})
export class KeysModule {}
