import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SETTINGS, type Settings } from '@sluice/config';
import { REPORT, type Report } from '@sluice/engines';
import { COMMANDS, type CommandHandling, createSequence } from '@sluice/event-store';
import { ActorNamesHandler } from './application/actor-names.handler';
import { CreateAppHandler } from './application/create-app.handler';
import { CreateOwnerHandler, OWNER_IDS } from './application/create-owner.handler';
import { CreateTokenHandler, TOKEN_IDS } from './application/create-token.handler';
import { EditAppHandler } from './application/edit-app.handler';
import { EditTokenHandler } from './application/edit-token.handler';
import { ensureOwner } from './application/ensure-owner';
import { GetAppHandler } from './application/get-app.handler';
import { GetOwnerHandler } from './application/get-owner.handler';
import { GetTokenHandler } from './application/get-token.handler';
import { ListAppsHandler } from './application/list-apps.handler';
import { ListBuildRetentionHandler } from './application/list-build-retention.handler';
import { ListOwnedAppsHandler } from './application/list-owned-apps.handler';
import { ListOwnersHandler } from './application/list-owners.handler';
import { ListTokensHandler } from './application/list-tokens.handler';
import { RemoveAppHandler } from './application/remove-app.handler';
import { ResumeOwnerHandler } from './application/resume-owner.handler';
import { RevokeTokenHandler } from './application/revoke-token.handler';
import { RotateOwnerKeyHandler } from './application/rotate-owner-key.handler';
import { RotateTokenHandler } from './application/rotate-token.handler';
import { ShownSecrets } from './application/shown-secrets';
import { SuspendOwnerHandler } from './application/suspend-owner.handler';
import { Tokens } from './application/tokens';
import { OWNER_SEQUENCE } from './domain/owner';
import { AppRemoval } from './processes/app-removal';
import { RegistryController } from './rpc/registry.controller';

@Module({
  imports: [CqrsModule],
  controllers: [RegistryController],
  providers: [
    ActorNamesHandler,
    CreateAppHandler,
    CreateOwnerHandler,
    CreateTokenHandler,
    EditAppHandler,
    EditTokenHandler,
    GetAppHandler,
    GetOwnerHandler,
    GetTokenHandler,
    ListAppsHandler,
    ListBuildRetentionHandler,
    ListOwnedAppsHandler,
    ListOwnersHandler,
    ListTokensHandler,
    AppRemoval,
    RemoveAppHandler,
    ResumeOwnerHandler,
    RevokeTokenHandler,
    RotateOwnerKeyHandler,
    RotateTokenHandler,
    ShownSecrets,
    SuspendOwnerHandler,
    Tokens,
    {
      provide: OWNER_IDS,
      inject: [COMMANDS],
      useFactory: (commands: CommandHandling) => createSequence({ commands, name: OWNER_SEQUENCE }),
    },
    {
      provide: TOKEN_IDS,
      inject: [COMMANDS],
      useFactory: (commands: CommandHandling) => createSequence({ commands, name: 'tokens' }),
    },
  ],
})
export class RegistryModule implements OnApplicationBootstrap {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(REPORT) private readonly report: Report,
  ) {}

  /** Whoever waits for this module to start finds an owner. */
  async onApplicationBootstrap(): Promise<void> {
    const { commands, settings, report } = this;
    await ensureOwner({ commands, settings, report });
  }
}
