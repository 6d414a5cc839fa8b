import type { FeedPreview } from '@sluice/contracts';
import { Table } from '../../parts/page';

/** What is not listed, and why. */
export function Excluded({ items }: { readonly items: FeedPreview['excluded'] }) {
  return (
    <Table
      label="Items left out"
      rows={items}
      keyOf={({ product_id, variation_id }) => `${product_id}/${variation_id ?? ''}`}
      columns={[
        ['Product', ({ product_id: id }) => <code>{id}</code>],
        ['Variation', ({ variation_id: id }) => (id === null ? <span className="dim">none</span> : <code>{id}</code>)],
        ['Why', ({ reasons }) => reasons.join(' ')],
      ]}
    />
  );
}
