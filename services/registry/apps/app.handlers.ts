import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  type App,
  type Caller,
  createApp,
  editApp,
  getApp,
  listApps,
  listBuildRetention,
  listOwnedApps,
  removeApp,
  type RequestOf,
} from '@sluice/contracts';
import { findPage, ReadStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { type Channel, channelName, isStandardChannel, STANDARD_CHANNELS, ValidationError } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { requireFormat, TARGETING_FORMAT } from '@sluice/service-host';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { type ChannelRow, channelRows, channelsProjection } from '../channels/channels.projection';
import { channels, channelsStream } from '../channels/domain/channels';
import { AppRemoval } from './app-removal';
import { appRows, appsProjection } from './apps.projection';
import {
  app,
  type AppDetails,
  appNotFound,
  type AppPolicy,
  appStream,
  DEFAULT_APP_POLICY,
  registeredApp,
} from './domain/app';
import { apps, APPS_STREAM, type RegisteredApp } from './domain/apps';
import { planTemplates, planTemplatesStream, templateNames } from '../plan-templates/domain/plan-templates';
import { ownedAppRows, ownedAppsProjection } from './owned-apps.projection';

@Injectable()
export class AppHandlers {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly readStore: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly removal: AppRemoval,
  ) {}

  /** A repeat returns the app as it is now. */
  @HandlesCommand(createApp)
  async create(request: RequestOf<typeof createApp>, caller: Caller): Promise<App> {
    const command = { ...request, type: 'RegisterApp', appLimit: this.settings.appLimit } as const;
    const { events, repeated } = await this.commands.handle(apps, APPS_STREAM, command, caller);
    const registered = events.find((event) => event.type === 'AppRegistered');
    if (registered === undefined) throw new Error(`The command ${caller.commandId} registered no app.`);
    const created = { ...registered.data, createdAt: registered.metadata.at };
    return repeated ? this.resource({ ...created, ...(await this.editsOf(created.id)) }) : appResource(created);
  }

  private async editsOf(id: number): Promise<Edited> {
    const { state } = await this.commands.load(app, appStream(id));
    if (state.removing) throw appNotFound();
    return { ...state.edits, revision: state.revision };
  }

  @HandlesQuery(listApps)
  async list({ ownerId, ids, ...page }: RequestOf<typeof listApps>) {
    const where = ids === null ? { ownerId } : { ownerId, number: { in: ids } };
    const view = this.readStore.view(appsProjection.name, appRows);
    const { rows, total } = await findPage(view, { where, sort: [['number', 'asc']], ...page });
    const added = await this.addedTo(rows.map(({ number }) => number));
    return { items: rows.map((row) => appResource({ ...row, id: row.number }, added.get(row.number))), total };
  }

  @HandlesQuery(listOwnedApps)
  async listOwned({ ownerId, removed, ...page }: RequestOf<typeof listOwnedApps>) {
    const where = removed === null ? { ownerId } : { ownerId, removed };
    const view = this.readStore.view(ownedAppsProjection.name, ownedAppRows);
    const { rows, total } = await findPage(view, { where, sort: [['number', 'asc']], ...page });
    const added = await this.addedTo(rows.map(({ number }) => number));
    const items = rows.map((row) => ({
      ...appResource({ ...row, id: row.number }, added.get(row.number)),
      removed_at: row.removedAt,
    }));
    return { items, total };
  }

  @HandlesQuery(listBuildRetention)
  async listBuildRetention({ after, limit }: RequestOf<typeof listBuildRetention>) {
    const view = this.readStore.view(appsProjection.name, appRows);
    const rows = await view.find({ where: { number: { gt: after } }, sort: [['number', 'asc']], limit });
    return rows.map(({ number, keepBuilds = null }) => ({ appId: number, keepBuilds }));
  }

  @HandlesQuery(getApp)
  async get({ id }: RequestOf<typeof getApp>): Promise<App> {
    const { name } = appsProjection;
    const row = await this.projections.find(name, () => this.readStore.view(name, appRows).get(String(id)));
    if (row === undefined) throw appNotFound();
    return this.resource({ ...row, id });
  }

  @HandlesCommand(editApp)
  async edit({ id, ifRevision, channelAliases, ...edits }: RequestOf<typeof editApp>, caller: Caller): Promise<App> {
    if ([edits.attributes, edits.defaultChannels, channelAliases].some((edit) => edit !== undefined))
      await requireFormat(this.commands, TARGETING_FORMAT);
    const registered = registeredApp((await this.commands.load(apps, APPS_STREAM)).state, id);
    const templates =
      edits.defaultRollout === undefined
        ? undefined
        : templateNames((await this.commands.load(planTemplates, planTemplatesStream(id))).state);
    const aliases = channelAliases === undefined ? undefined : await this.aliases(id, channelAliases);
    const command = { type: 'EditApp', id, registered, edits: { ...edits, ...aliases?.edits }, templates } as const;
    const withChannels = { ...command, channels: aliases?.channels, ifRevision };
    const { state } = await this.commands.handle(app, appStream(id), withChannels, caller);
    return this.resource({ ...registered, ...state.edits, revision: state.revision });
  }

  /** With the ids of the channels that they name, and of all. @throws ValidationError */
  private async aliases(appId: number, edits: NonNullable<RequestOf<typeof editApp>['channelAliases']> | null) {
    const { open } = (await this.commands.load(channels, channelsStream(appId))).state;
    const idOf = (name: string) => (isStandardChannel(name) ? name : open.get(name)?.id);
    const errors: Record<string, string[]> = {};
    const ids = Object.entries(edits ?? {}).map(([alias, name]) => {
      const id = name === null ? null : idOf(name);
      const faults = [
        ...(id === undefined ? [NO_CHANNEL] : []),
        ...(id && idOf(alias) !== undefined ? ['This is the name of a channel. Choose another alias.'] : []),
      ];
      if (faults.length > 0) errors[`channel_aliases.${alias}`] = faults;
      return [alias, id ?? null] as const;
    });
    if (Object.keys(errors).length > 0) throw new ValidationError(errors);
    return {
      edits: { channelAliases: edits && Object.fromEntries(ids) },
      channels: [...STANDARD_CHANNELS, ...[...open.values()].map(({ id }) => id)],
    };
  }

  /** Answers once nothing of the app changes any more and its bundle_id is free; its rows and bytes go later. */
  @HandlesCommand(removeApp)
  async remove({ id, ifRevision }: RequestOf<typeof removeApp>, caller: Caller) {
    registeredApp((await this.commands.load(apps, APPS_STREAM)).state, id);
    const command = { type: 'StartRemoval', id, ifRevision } as const;
    const { events } = await this.commands.handle(app, appStream(id), command, caller);
    for (const event of events) {
      if (event.type === 'AppRemovalStarted') await this.removal.finish(event, { waitForReaders: true });
    }
    return { deleted: true as const, id };
  }

  private async resource(app: Parameters<typeof appResource>[0]): Promise<App> {
    return appResource(app, (await this.addedTo([app.id])).get(app.id));
  }

  /** By app, the channels that it has added, by name. */
  private async addedTo(apps: readonly number[]): Promise<ReadonlyMap<number, readonly Added[]>> {
    const added = new Map<number, Added[]>();
    if (apps.length === 0) return added;
    const view = this.readStore.view(channelsProjection.name, channelRows);
    for (const { appId, name, channel } of await view.find({
      where: { appId: { in: apps } },
      sort: [['name', 'asc']],
    })) {
      if (isStandardChannel(name)) continue;
      added.set(appId, [...(added.get(appId) ?? []), { name, channel }]);
    }
    return added;
  }
}

const NO_CHANNEL =
  'The channel must be production, staging or development, or another channel of the app: GET /apps/{app}/channels lists them.';

type Added = Pick<ChannelRow, 'name' | 'channel'>;

/** What became of an app after its registration. */
type Edited = Partial<AppDetails> & { readonly revision?: number };

/** The App of the API. @param added the channels that it has added */
function appResource(app: RegisteredApp & Edited, added: readonly Added[] = []): App {
  const policy = { ...DEFAULT_APP_POLICY, ...app };
  const { signingKeyRotation, uniqueSignatures, keepBuilds, defaultRollout, attributes, defaultChannels } = policy;
  return {
    id: app.id,
    app_id: app.appId,
    bundle_id: app.bundleId,
    name: app.name,
    description: app.description,
    platform: app.platform,
    platforms: app.platform === 'both' ? ['ios', 'android'] : [app.platform],
    channels: [...STANDARD_CHANNELS, ...added.map(({ name }) => name)],
    signing_key_rotation: signingKeyRotation,
    unique_signatures: uniqueSignatures,
    keep_builds: keepBuilds,
    default_rollout: defaultRollout,
    attributes,
    default_channels: defaultChannels,
    channel_aliases: aliasesOf(policy, added),
    revision: app.revision ?? 1,
    created_at: app.createdAt,
  };
}

/** By alias, the names of channels that are there. */
function aliasesOf({ channelAliases }: AppPolicy, added: readonly Added[]): App['channel_aliases'] {
  const isThere = (id: Channel) => isStandardChannel(id) || added.some(({ channel }) => channel === id);
  const there = Object.entries(channelAliases).filter(([, id]) => isThere(id));
  return Object.fromEntries(there.map(([alias, id]) => [alias, channelName(id)]));
}
