import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SETTINGS, type Settings } from '@sluice/config';
import { REPORT, type Report } from '@sluice/engines';
import { COMMANDS, type CommandHandling, createSequence } from '@sluice/event-store';
import { serveCalls } from '@sluice/messaging';
import { ActorNames, ActorNamesHandler } from './application/actor-names.handler';
import { CreateApp, CreateAppHandler } from './application/create-app.handler';
import { CreateOwner, CreateOwnerHandler, OWNER_IDS } from './application/create-owner.handler';
import { CreateToken, CreateTokenHandler, TOKEN_IDS } from './application/create-token.handler';
import { EditApp, EditAppHandler } from './application/edit-app.handler';
import { EditToken, EditTokenHandler } from './application/edit-token.handler';
import { ensureOwner } from './application/ensure-owner';
import { GetApp, GetAppHandler } from './application/get-app.handler';
import { GetOwner, GetOwnerHandler } from './application/get-owner.handler';
import { GetToken, GetTokenHandler } from './application/get-token.handler';
import { ListApps, ListAppsHandler } from './application/list-apps.handler';
import { ListBuildRetention, ListBuildRetentionHandler } from './application/list-build-retention.handler';
import { ListOwnedApps, ListOwnedAppsHandler } from './application/list-owned-apps.handler';
import { ListOwners, ListOwnersHandler } from './application/list-owners.handler';
import { ListTokens, ListTokensHandler } from './application/list-tokens.handler';
import { RecordTokenUse, RecordTokenUseHandler } from './application/record-token-use.handler';
import { RemoveApp, RemoveAppHandler } from './application/remove-app.handler';
import { ResumeOwner, ResumeOwnerHandler } from './application/resume-owner.handler';
import { RevokeToken, RevokeTokenHandler } from './application/revoke-token.handler';
import { RotateOwnerKey, RotateOwnerKeyHandler } from './application/rotate-owner-key.handler';
import { RotateToken, RotateTokenHandler } from './application/rotate-token.handler';
import { OneTimeSecrets } from './application/one-time-secrets';
import { SuspendOwner, SuspendOwnerHandler } from './application/suspend-owner.handler';
import { Tokens } from './application/tokens';
import { OWNER_SEQUENCE } from './domain/owner';
import { AppRemoval } from './processes/app-removal';

@Module({
  imports: [CqrsModule],
  controllers: [
    serveCalls(
      CreateApp,
      ListApps,
      ListBuildRetention,
      ListOwnedApps,
      GetApp,
      EditApp,
      ListOwners,
      GetOwner,
      CreateOwner,
      RotateOwnerKey,
      SuspendOwner,
      ResumeOwner,
      RemoveApp,
      CreateToken,
      ListTokens,
      RecordTokenUse,
      GetToken,
      EditToken,
      RotateToken,
      RevokeToken,
      ActorNames,
    ),
  ],
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
    RecordTokenUseHandler,
    AppRemoval,
    RemoveAppHandler,
    ResumeOwnerHandler,
    RevokeTokenHandler,
    RotateOwnerKeyHandler,
    RotateTokenHandler,
    OneTimeSecrets,
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
