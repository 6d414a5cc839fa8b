import type { Mapping } from '@sluice/contracts';
import * as texts from '../../texts/listings/offers';

/** The product and the variation of an offer. */
export function ProductOf({ item }: { readonly item: Pick<Mapping, 'product_id' | 'variation_id'> }) {
  return (
    <>
      {item.product_id}
      {item.variation_id !== null && <small> {texts.variationOf(item.variation_id)}</small>}
    </>
  );
}
