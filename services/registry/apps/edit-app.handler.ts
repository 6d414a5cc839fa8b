import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type App, editApp } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { app, appStream, registeredApp } from './domain/app';
import { apps, APPS_STREAM } from './domain/apps';
import { appResource } from './app-resource';

export class EditApp extends CommandOf(editApp) {}

@CommandHandler(EditApp)
export class EditAppHandler implements ICommandHandler<EditApp> {
  constructor(@Inject(COMMANDS) private readonly commands: CommandHandling) {}

  async execute({ request: { id, ...edits }, caller }: EditApp): Promise<App> {
    const registered = registeredApp((await this.commands.load(apps, APPS_STREAM)).state, id);
    const command = { type: 'EditApp', id, registered, edits } as const;
    const { state } = await this.commands.handle(app, appStream(id), command, caller);
    return appResource({ ...registered, ...state.edits });
  }
}
