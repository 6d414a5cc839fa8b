import { Inject, Injectable } from '@nestjs/common';
import { COMMANDS, type CommandHandling, EVENT_STORE, type EventStore, type Recorded } from '@sluice/event-store';
import { appNotFound } from '../domain/app';
import { type AppRegistered, apps, APPS_STREAM } from '../domain/apps';

/** How apps were registered. */
@Injectable()
export class Registrations {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(EVENT_STORE) private readonly events: EventStore,
  ) {}

  /** @throws DomainError APP_NOT_FOUND, of a removed app too; UnavailableError */
  async of(id: number): Promise<Recorded<AppRegistered>> {
    const { state } = await this.commands.load(apps, APPS_STREAM);
    const app = state.registered.get(id);
    if (app === undefined) throw appNotFound();
    for await (const event of this.events.readStream(APPS_STREAM, { from: app.revision, limit: 1 })) {
      return event as unknown as Recorded<AppRegistered>;
    }
    throw new Error(`The stream ${APPS_STREAM} lost its event ${app.revision}, which registered the app ${id}.`);
  }
}
