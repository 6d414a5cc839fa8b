import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import { canonicalJson } from '@sluice/kernel';
import type { FeedSettings } from '../../domain/feed-settings';
import { createMapper, MAPPER_VERSION, type Mapped } from '../../domain/map-product';
import type { Offer } from '../../domain/offer';
import type { StoreProduct } from '../../domain/product';
import { plainText } from './plain-text';

/** The mapper of the domain with what it needs of the outside: HTML as text, and the installation's settings. */
@Injectable()
export class ListingMapper {
  constructor(@Inject(SETTINGS) private readonly settings: Pick<Settings, 'storeCurrency' | 'offerIdPrefix'>) {}

  /** `prefix`: the one that was frozen by the first sync (spec 5, mapping); until then the setting's. */
  by(feed: FeedSettings, prefix = this.settings.offerIdPrefix): (product: StoreProduct) => Mapped {
    return createMapper({ settings: feed, prefix, storeCurrency: this.settings.storeCurrency, toText: plainText });
  }
}

/** Lower-case hex SHA-256 of what would be pushed, and to where (spec 5, sync hash). */
export function syncHash(offer: Offer, target: { readonly adapter: string; readonly accountId: string }): string {
  const { adapter, accountId } = target;
  return createHash('sha256')
    .update(canonicalJson({ mapper: MAPPER_VERSION, adapter, accountId, offer }))
    .digest('hex');
}
