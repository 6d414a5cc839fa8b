import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { openJsonSource } from './json-source';
import type { ProductSource } from './product-source';
import { openWooCommerceSource } from './woocommerce-source';

/** The shop that the settings name; undefined: none. */
export function openProductSource(settings: MerchantSyncSettings): ProductSource | undefined {
  const { woocommerceUrl: url, woocommerceKey: key, woocommerceSecret: secret, productsJsonUrl } = settings;
  const options = {
    allowPrivateAddresses: settings.sourceAllowPrivateAddresses,
    maxBytes: settings.sourceMaxBytes,
    retryBaseMs: settings.sourceRetryBaseMs,
    timeoutMs: settings.sourceTimeoutMs,
  };
  if (productsJsonUrl !== undefined) return openJsonSource(productsJsonUrl, options);
  if (url === undefined || key === undefined || secret === undefined) return undefined;
  return openWooCommerceSource({ url, key, secret }, options);
}
