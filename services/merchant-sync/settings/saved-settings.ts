import { Inject, Injectable } from '@nestjs/common';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { ReadStore } from '@sluice/document-store';
import { type ListingsModule, merchant, type Merchant, moduleOf, requireWorking, STORE_ID } from './domain/merchant';
import { merchantSettingsProjection, merchantSettingsRows } from './merchant-settings.projection';

/** Injection token of the ListingsModule that the environment sets, until something else is saved. */
export const FIRST_VALUES = Symbol('FirstValues');

/** The settings as the read model holds them; the defaults while nothing was saved. */
@Injectable()
export class SavedSettings {
  constructor(
    private readonly documents: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(FIRST_VALUES) private readonly firstValues: ListingsModule,
  ) {}

  async module(): Promise<ListingsModule> {
    return moduleOf(await this.read(), this.firstValues);
  }

  /** @throws DomainError module_disabled or entitlement_required */
  async ofWorkingModule(): Promise<Merchant> {
    const saved = await this.read();
    requireWorking(moduleOf(saved, this.firstValues));
    return saved;
  }

  private async read(): Promise<Merchant> {
    const { name } = merchantSettingsProjection;
    const row = await this.projections.find(name, () => this.documents.view(name, merchantSettingsRows).get(STORE_ID));
    return row ?? merchant.initialState();
  }
}
