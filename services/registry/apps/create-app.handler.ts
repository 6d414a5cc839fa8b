import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SETTINGS, type Settings } from '@sluice/config';
import { type App, createApp } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { app, type AppDetails, appNotFound, appStream } from './domain/app';
import { apps, APPS_STREAM } from './domain/apps';
import { appResource } from './app-resource';

export class CreateApp extends CommandOf(createApp) {}

/** A repeat answers the app as it stands now. */
@CommandHandler(CreateApp)
export class CreateAppHandler implements ICommandHandler<CreateApp> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async execute({ request, caller }: CreateApp): Promise<App> {
    const command = { ...request, type: 'RegisterApp', appLimit: this.settings.appLimit } as const;
    const { events, repeated } = await this.commands.handle(apps, APPS_STREAM, command, caller);
    const registered = events.find((event) => event.type === 'AppRegistered');
    if (registered === undefined) throw new Error(`The command ${caller.commandId} registered no app.`);
    const created = { ...registered.data, createdAt: registered.metadata.at };
    return appResource(repeated ? { ...created, ...(await this.editsOf(created.id)) } : created);
  }

  private async editsOf(id: number): Promise<Partial<AppDetails>> {
    const { state } = await this.commands.load(app, appStream(id));
    if (state.removing) throw appNotFound();
    return state.edits;
  }
}
