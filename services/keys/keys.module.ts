import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { COMMANDS, type CommandHandling, createSequence } from '@sluice/event-store';
import { serveCalls } from '@sluice/messaging';
import { ApiKeyChanges } from './api-keys/api-key-changes';
import { ApiKeySecrets } from './api-keys/api-key-secrets';
import { CloseAppKeys, CloseAppKeysHandler } from './close-app-keys.handler';
import { CountBlockedCallers, CountBlockedCallersHandler } from './api-keys/count-blocked-callers.handler';
import { CreateApiKey, CreateApiKeyHandler, KEY_IDS } from './api-keys/create-api-key.handler';
import { CreateSigningKey, CreateSigningKeyHandler } from './signing-keys/create-signing-key.handler';
import { DataKeys } from './data-keys/data-keys';
import { DeleteApiKey, DeleteApiKeyHandler } from './api-keys/delete-api-key.handler';
import { DeleteKeystore, DeleteKeystoreHandler } from './keystores/delete-keystore.handler';
import { DeprecateApiKey, DeprecateApiKeyHandler } from './api-keys/deprecate-api-key.handler';
import { GetApiKey, GetApiKeyHandler } from './api-keys/get-api-key.handler';
import { GetKeystore, GetKeystoreHandler } from './keystores/get-keystore.handler';
import { GetSigningKey, GetSigningKeyHandler } from './signing-keys/get-signing-key.handler';
import { ListApiKeys, ListApiKeysHandler } from './api-keys/list-api-keys.handler';
import { ListDataKeys, ListDataKeysHandler } from './data-keys/list-data-keys.handler';
import { ListSigningKeys, ListSigningKeysHandler } from './signing-keys/list-signing-keys.handler';
import { OpenKeystore, OpenKeystoreHandler } from './keystores/open-keystore.handler';
import { PrepareKeystore, PrepareKeystoreHandler } from './keystores/prepare-keystore.handler';
import { RecordApiKeyUse, RecordApiKeyUseHandler } from './api-keys/record-api-key-use.handler';
import { ResealSecrets, ResealSecretsHandler } from './data-keys/reseal-secrets.handler';
import { RestrictApiKey, RestrictApiKeyHandler } from './api-keys/restrict-api-key.handler';
import { RetireSigningKey, RetireSigningKeyHandler } from './signing-keys/retire-signing-key.handler';
import { RevealApiKey, RevealApiKeyHandler } from './api-keys/reveal-api-key.handler';
import { RevokeApiKey, RevokeApiKeyHandler } from './api-keys/revoke-api-key.handler';
import { RotateApiKey, RotateApiKeyHandler } from './api-keys/rotate-api-key.handler';
import { RotateDataKeys, RotateDataKeysHandler } from './data-keys/rotate-data-keys.handler';
import { RotateSigningKey, RotateSigningKeyHandler } from './signing-keys/rotate-signing-key.handler';
import { SignDigest, SignDigestHandler } from './signing-keys/sign-digest.handler';
import { SIGNING_KEY_IDS, SigningKeys } from './signing-keys/signing-keys';
import { StoreKeystore, StoreKeystoreHandler } from './keystores/store-keystore.handler';
import { DataKeySweep } from './data-keys/data-key-sweep';
import { OrphanSweep } from './orphan-sweep';

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
