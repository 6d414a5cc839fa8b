import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { COMMANDS, type CommandHandling, createSequence } from '@sluice/event-store';
import { serveCalls } from '@sluice/messaging';
import { ApiKeyChanges } from './application/api-key-changes';
import { ApiKeySecrets } from './application/api-key-secrets';
import { CloseAppKeys, CloseAppKeysHandler } from './application/close-app-keys.handler';
import { CountBlockedCallers, CountBlockedCallersHandler } from './application/count-blocked-callers.handler';
import { CreateApiKey, CreateApiKeyHandler, KEY_IDS } from './application/create-api-key.handler';
import { CreateSigningKey, CreateSigningKeyHandler } from './application/create-signing-key.handler';
import { DataKeys } from './application/data-keys';
import { DeleteApiKey, DeleteApiKeyHandler } from './application/delete-api-key.handler';
import { DeleteKeystore, DeleteKeystoreHandler } from './application/delete-keystore.handler';
import { DeprecateApiKey, DeprecateApiKeyHandler } from './application/deprecate-api-key.handler';
import { GetApiKey, GetApiKeyHandler } from './application/get-api-key.handler';
import { GetKeystore, GetKeystoreHandler } from './application/get-keystore.handler';
import { GetSigningKey, GetSigningKeyHandler } from './application/get-signing-key.handler';
import { ListApiKeys, ListApiKeysHandler } from './application/list-api-keys.handler';
import { ListDataKeys, ListDataKeysHandler } from './application/list-data-keys.handler';
import { ListSigningKeys, ListSigningKeysHandler } from './application/list-signing-keys.handler';
import { OpenKeystore, OpenKeystoreHandler } from './application/open-keystore.handler';
import { PrepareKeystore, PrepareKeystoreHandler } from './application/prepare-keystore.handler';
import { RecordApiKeyUse, RecordApiKeyUseHandler } from './application/record-api-key-use.handler';
import { ResealSecrets, ResealSecretsHandler } from './application/reseal-secrets.handler';
import { RestrictApiKey, RestrictApiKeyHandler } from './application/restrict-api-key.handler';
import { RetireSigningKey, RetireSigningKeyHandler } from './application/retire-signing-key.handler';
import { RevealApiKey, RevealApiKeyHandler } from './application/reveal-api-key.handler';
import { RevokeApiKey, RevokeApiKeyHandler } from './application/revoke-api-key.handler';
import { RotateApiKey, RotateApiKeyHandler } from './application/rotate-api-key.handler';
import { RotateDataKeys, RotateDataKeysHandler } from './application/rotate-data-keys.handler';
import { RotateSigningKey, RotateSigningKeyHandler } from './application/rotate-signing-key.handler';
import { SignDigest, SignDigestHandler } from './application/sign-digest.handler';
import { SIGNING_KEY_IDS, SigningKeys } from './application/signing-keys';
import { StoreKeystore, StoreKeystoreHandler } from './application/store-keystore.handler';
import { DataKeySweep } from './processes/data-key-sweep';
import { OrphanSweep } from './processes/orphan-sweep';

@Module({
  imports: [CqrsModule],
  controllers: [
    serveCalls(
      GetKeystore,
      PrepareKeystore,
      StoreKeystore,
      DeleteKeystore,
      OpenKeystore,
      GetSigningKey,
      CreateSigningKey,
      RotateSigningKey,
      ListSigningKeys,
      RetireSigningKey,
      SignDigest,
      CreateApiKey,
      ListApiKeys,
      CountBlockedCallers,
      GetApiKey,
      RevokeApiKey,
      RotateApiKey,
      RevealApiKey,
      RestrictApiKey,
      DeprecateApiKey,
      DeleteApiKey,
      CloseAppKeys,
      RecordApiKeyUse,
      ResealSecrets,
      ListDataKeys,
      RotateDataKeys,
    ),
  ],
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
    RecordApiKeyUseHandler,
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
