import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { removeApp, type ReplyOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { app, appStream, registeredApp } from './domain/app';
import { apps, APPS_STREAM } from './domain/apps';
import { AppRemoval } from './app-removal';

export class RemoveApp extends CommandOf(removeApp) {}

/** Answers once nothing of the app changes any more and its bundle_id is free; its rows and bytes go later. */
@CommandHandler(RemoveApp)
export class RemoveAppHandler implements ICommandHandler<RemoveApp> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly removal: AppRemoval,
  ) {}

  async execute({ request: { id }, caller }: RemoveApp): Promise<ReplyOf<typeof removeApp>> {
    registeredApp((await this.commands.load(apps, APPS_STREAM)).state, id);
    const { events } = await this.commands.handle(app, appStream(id), { type: 'StartRemoval', id }, caller);
    for (const event of events) {
      if (event.type === 'AppRemovalStarted') await this.removal.finish(event, { waitForReaders: true });
    }
    return { deleted: true, id };
  }
}
