import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SETTINGS } from '@sluice/config';
import { REPORT, type Report } from '@sluice/service-host';
import { COMMANDS, type CommandHandling, createSequence } from '@sluice/event-store';
import { serveCalls } from '@sluice/messaging';
import { ActorNames, ActorNamesHandler } from './owners/actor-names.handler';
import { CreateApp, CreateAppHandler } from './apps/create-app.handler';
import { CreateOwner, CreateOwnerHandler, OWNER_IDS } from './owners/create-owner.handler';
import { CreateToken, CreateTokenHandler, TOKEN_IDS } from './tokens/create-token.handler';
import { EditApp, EditAppHandler } from './apps/edit-app.handler';
import { EditToken, EditTokenHandler } from './tokens/edit-token.handler';
import { ensureOwner } from './owners/ensure-owner';
import { GetApp, GetAppHandler } from './apps/get-app.handler';
import { GetOwner, GetOwnerHandler } from './owners/get-owner.handler';
import { GetToken, GetTokenHandler } from './tokens/get-token.handler';
import { ListApps, ListAppsHandler } from './apps/list-apps.handler';
import { ListBuildRetention, ListBuildRetentionHandler } from './apps/list-build-retention.handler';
import { ListOwnedApps, ListOwnedAppsHandler } from './apps/list-owned-apps.handler';
import { ListOwners, ListOwnersHandler } from './owners/list-owners.handler';
import { ListTokens, ListTokensHandler } from './tokens/list-tokens.handler';
import { RecordTokenUse, RecordTokenUseHandler } from './tokens/record-token-use.handler';
import { RemoveApp, RemoveAppHandler } from './apps/remove-app.handler';
import { ResumeOwner, ResumeOwnerHandler } from './owners/resume-owner.handler';
import { RevokeToken, RevokeTokenHandler } from './tokens/revoke-token.handler';
import { RotateOwnerKey, RotateOwnerKeyHandler } from './owners/rotate-owner-key.handler';
import { RotateToken, RotateTokenHandler } from './tokens/rotate-token.handler';
import { OneTimeSecrets } from './tokens/one-time-secrets';
import { SuspendOwner, SuspendOwnerHandler } from './owners/suspend-owner.handler';
import { Tokens } from './tokens/tokens';
import { OWNER_SEQUENCE } from './owners/domain/owner';
import { AppRemoval } from './apps/app-removal';
import type { RegistrySettings } from './config/registry.settings';

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
    @Inject(SETTINGS) private readonly settings: RegistrySettings,
    @Inject(REPORT) private readonly report: Report,
  ) {}

  /** Whoever waits for this module to start finds an owner. */
  async onApplicationBootstrap(): Promise<void> {
    const { commands, settings, report } = this;
    await ensureOwner({ commands, settings, report });
  }
}
