import type { Settings } from '@sluice/config';
import { openJsonSource } from './json-source';
import type { ProductSource } from './product-source';
import { openWooCommerceSource } from './woocommerce-source';

/** The store that the settings name; undefined: none. */
export function openProductSource({ productSource }: Pick<Settings, 'productSource'>): ProductSource | undefined {
  if (productSource === undefined) return undefined;
  const { from, ...options } = productSource;
  return from.kind === 'woocommerce' ? openWooCommerceSource(from, options) : openJsonSource(from.url, options);
}
