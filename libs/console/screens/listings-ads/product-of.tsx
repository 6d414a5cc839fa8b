import type { Mapping } from '@sluice/contracts';

/** Of which product of the store an offer is. */
export function ProductOf({ item }: { readonly item: Pick<Mapping, 'product_id' | 'variation_id'> }) {
  return (
    <>
      {item.product_id}
      {item.variation_id !== null && <small> variation {item.variation_id}</small>}
    </>
  );
}
