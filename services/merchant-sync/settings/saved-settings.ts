import { Inject, Injectable } from '@nestjs/common';
import {
  type Caller,
  getFeedSettings,
  getListingsModule,
  getSyncSettings,
  requireListingsModule,
  type RequestOf,
  saveFeedSettings,
  saveSyncSettings,
  setListingsModule,
} from '@sluice/contracts';
import { ReadStore } from '@sluice/document-store';
import { type CommandHandling, COMMANDS } from '@sluice/event-store';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import {
  type ListingsModule,
  merchant,
  type Merchant,
  type MerchantCommand,
  merchantStream,
  moduleOf,
  requireWorking,
  STORE_ID,
} from './domain/merchant';
import { merchantSettingsProjection, merchantSettingsRows } from './merchant-settings.projection';

/** Injection token of the ListingsModule that the environment sets, until something else is saved. */
export const FIRST_VALUES = Symbol('FirstValues');

/** The settings as the read model holds them; the defaults while nothing was saved. */
@Injectable()
export class SavedSettings {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly documents: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(FIRST_VALUES) private readonly firstValues: ListingsModule,
  ) {}

  /** @throws DomainError module_disabled or entitlement_required */
  async ofWorkingModule(): Promise<Merchant> {
    const saved = await this.read();
    requireWorking(moduleOf(saved, this.firstValues));
    return saved;
  }

  @HandlesQuery(getListingsModule)
  async module() {
    return moduleOf(await this.read(), this.firstValues);
  }

  @HandlesQuery(requireListingsModule)
  async requireModule() {
    await this.ofWorkingModule();
    return {};
  }

  @HandlesCommand(setListingsModule)
  async setModule(request: RequestOf<typeof setListingsModule>, caller: Caller) {
    return moduleOf(await this.save({ ...request, type: 'SetModule' }, caller), this.firstValues);
  }

  @HandlesQuery(getFeedSettings)
  async feed() {
    return (await this.ofWorkingModule()).feed;
  }

  @HandlesCommand(saveFeedSettings)
  async saveFeed(changes: RequestOf<typeof saveFeedSettings>, caller: Caller) {
    return (await this.save({ type: 'SaveFeedSettings', changes, firstValues: this.firstValues }, caller)).feed;
  }

  @HandlesQuery(getSyncSettings)
  async sync() {
    return (await this.ofWorkingModule()).sync;
  }

  @HandlesCommand(saveSyncSettings)
  async saveSync(changes: RequestOf<typeof saveSyncSettings>, caller: Caller) {
    return (await this.save({ type: 'SaveSyncSettings', changes, firstValues: this.firstValues }, caller)).sync;
  }

  private async save(command: MerchantCommand, caller: Caller): Promise<Merchant> {
    return (await this.commands.handle(merchant, merchantStream(STORE_ID), command, caller)).state;
  }

  private async read(): Promise<Merchant> {
    const { name } = merchantSettingsProjection;
    const row = await this.projections.find(name, () => this.documents.view(name, merchantSettingsRows).get(STORE_ID));
    return row ?? merchant.initialState();
  }
}
