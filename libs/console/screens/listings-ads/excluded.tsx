import type { FeedPreview } from '@sluice/contracts';
import { Table } from '../../parts/page';
import * as texts from '../../texts/listings/feed';

/** Items that are excluded from the feed, with the reasons. */
export function Excluded({ items }: { readonly items: FeedPreview['excluded'] }) {
  return (
    <Table
      label={texts.excludedItems}
      rows={items}
      keyOf={({ product_id, variation_id }) => `${product_id}/${variation_id ?? ''}`}
      columns={[
        [texts.product, ({ product_id: id }) => <code>{id}</code>],
        [
          texts.variation,
          ({ variation_id: id }) => (id === null ? <span className="dim">{texts.none}</span> : <code>{id}</code>),
        ],
        [texts.reason, ({ reasons }) => reasons.join(' ')],
      ]}
    />
  );
}
