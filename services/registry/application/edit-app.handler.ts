import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { App, Caller, editApp, RequestOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { app, appStream } from '../domain/app';
import { appResource } from './app-resource';
import { Registrations } from './registrations';

export class EditApp extends Command<App> {
  constructor(
    readonly request: RequestOf<typeof editApp>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(EditApp)
export class EditAppHandler implements ICommandHandler<EditApp> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly registrations: Registrations,
  ) {}

  async execute({ request: { id, ...edits }, caller }: EditApp): Promise<App> {
    const { data: registered, metadata } = await this.registrations.of(id);
    const command = { type: 'EditApp', id, registered, edits } as const;
    const { state } = await this.commands.handle(app, appStream(id), command, caller);
    return appResource({ ...registered, ...state.edits }, metadata.at);
  }
}
