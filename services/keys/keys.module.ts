import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { serveHandlers } from '@sluice/messaging';
import { ApiKeyHandlers } from './api-keys/api-key.handlers';
import { ChannelKeys } from './api-keys/channel-keys';
import { DataKeys } from './data-keys/data-keys';
import { KeystoreHandlers } from './keystores/keystore.handlers';
import { KeysSweep } from './keys-sweep';
import { SigningKeyHandlers } from './signing-keys/signing-key.handlers';

const { controllers, providers } = serveHandlers(ApiKeyHandlers, SigningKeyHandlers, KeystoreHandlers, DataKeys);

@Module({ imports: [CqrsModule], controllers, providers: [...providers, ChannelKeys, KeysSweep] })
export class KeysModule {}
