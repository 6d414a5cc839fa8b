import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SETTINGS } from '@sluice/config';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { serveHandlers } from '@sluice/messaging';
import { LOGGER, type Logger } from '@sluice/service-host';
import { AppRemoval } from './apps/app-removal';
import { AppHandlers } from './apps/app.handlers';
import { ChannelExpiry } from './channels/channel-expiry';
import { ChannelHandlers } from './channels/channel.handlers';
import type { RegistrySettings } from './config/registry.settings';
import { ensureOwner } from './owners/ensure-owner';
import { OwnerHandlers } from './owners/owner.handlers';
import { OneTimeSecrets } from './tokens/one-time-secrets';
import { PlanTemplateHandlers } from './plan-templates/plan-template.handlers';
import { TokenHandlers } from './tokens/token.handlers';
import { finishOwnUpgrade } from './upgrade/finish-own-upgrade';
import { UpgradeHandlers } from './upgrade/upgrade.handlers';

const { controllers, providers } = serveHandlers(
  AppHandlers,
  ChannelHandlers,
  PlanTemplateHandlers,
  OwnerHandlers,
  TokenHandlers,
  UpgradeHandlers,
);

@Module({ imports: [CqrsModule], controllers, providers: [...providers, AppRemoval, ChannelExpiry, OneTimeSecrets] })
export class RegistryModule implements OnApplicationBootstrap {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(SETTINGS) private readonly settings: RegistrySettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Once this module has started, there is an owner. */
  async onApplicationBootstrap(): Promise<void> {
    const { commands, settings, logger } = this;
    // Before the owner: without one the installation is fresh, also after a start that broke off here.
    await finishOwnUpgrade(commands, settings);
    await ensureOwner({ commands, settings, logger });
  }
}
