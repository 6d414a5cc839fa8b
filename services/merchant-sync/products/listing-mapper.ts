import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import { canonicalJson } from '@sluice/kernel';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { resolveCategories, type ResolvedCategories } from './domain/categories';
import type { FeedSettings } from './domain/feed-settings';
import { createMapper, MAPPER_VERSION, type Mapped } from './domain/map-product';
import type { Offer } from './domain/offer';
import type { ShopProduct } from './domain/product';
import { plainText } from './plain-text';

export interface ListingMap {
  readonly map: (product: ShopProduct) => Mapped;
  readonly categories: Omit<ResolvedCategories, 'byPath'>;
}

/** The mapper of the domain with its dependencies: the conversion of HTML to text, and the installation's settings. */
@Injectable()
export class ListingMapper {
  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<MerchantSyncSettings, 'storeCurrency' | 'offerIdPrefix'>,
  ) {}

  /**
   * @param prefix the one that was frozen by the first sync; null: the setting's
   * @param paths the shop's categories, read only where the settings need them, or for `findUnknown` where they name any
   * @throws what `paths` throws
   */
  async open(
    { feed, offerPrefix }: { readonly feed: FeedSettings; readonly offerPrefix: string | null },
    paths: AsyncIterable<string>,
    findUnknown = false,
  ): Promise<ListingMap> {
    const { storeCurrency, offerIdPrefix } = this.settings;
    const rules = { settings: feed, prefix: offerPrefix ?? offerIdPrefix, storeCurrency, toText: plainText };
    const categories = await resolveCategories(feed.category_mappings, paths, { toText: plainText, findUnknown });
    return { map: createMapper({ ...rules, categories }), categories };
  }
}

/** Lower-case hex SHA-256 of the offer and its target. */
export function syncHash(offer: Offer, target: { readonly adapter: string; readonly accountId: string }): string {
  const { adapter, accountId } = target;
  return createHash('sha256')
    .update(canonicalJson({ mapper: MAPPER_VERSION, adapter, accountId, offer }))
    .digest('hex');
}
