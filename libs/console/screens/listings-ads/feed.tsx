import { keepPreviousData } from '@tanstack/react-query';
import type { FeedItem, FeedPreview } from '@sluice/contracts';
import { useState } from 'react';
import { query } from '../../api/client';
import { Button, LinkButton } from '../../parts/button';
import { RowOpener, Section, Table } from '../../parts/page';
import { Loading } from '../../parts/states';
import { Excluded } from './excluded';
import { FeedDownload } from './feed-download';
import { FeedItemDialog } from './feed-item';
import { ProductOf } from './product-of';
import { STORE, usePlaneQuery } from './queries';
import { Refused } from './refused';

const PART = 50;

/** What would be listed, and what would not. The store is read each time. */
export function Feed() {
  // Where each part begins, up to the one that is shown.
  const [offsets, setOffsets] = useState<readonly number[]>([0]);
  const offset = offsets.at(-1) ?? 0;
  const path = `/feed/preview${query({ limit: PART, offset })}`;
  const preview = usePlaneQuery<FeedPreview>(path, STORE, { placeholderData: keepPreviousData });
  const next = preview.data?.next_offset ?? null;
  return (
    <>
      <FeedDownload />
      {preview.isPending && <Loading what="the feed from the store" />}
      {preview.isError && (
        <Section title="Preview">
          <Refused error={preview.error} again={() => void preview.refetch()} />
        </Section>
      )}
      {preview.data !== undefined && (
        <>
          <Items items={preview.data.items} />
          <LeftOut items={preview.data.excluded} />
          {(offsets.length > 1 || next !== null) && (
            <nav className="pager" aria-label="Parts of the feed">
              <Button disabled={offsets.length === 1} onClick={() => setOffsets(offsets.slice(0, -1))}>
                Previous
              </Button>
              <span role="status">
                {preview.isPlaceholderData ? 'Reading the store …' : `From ${(offset + 1).toLocaleString()} on`}
              </span>
              <Button
                disabled={next === null || preview.isPlaceholderData}
                onClick={() => next !== null && setOffsets([...offsets, next])}
              >
                Next
              </Button>
            </nav>
          )}
        </>
      )}
    </>
  );
}

function Items({ items }: { readonly items: readonly FeedItem[] }) {
  const [shown, setShown] = useState<FeedItem>();
  return (
    <Section title="What would be listed" actions={<LinkButton to="/listings-ads/settings">Feed settings</LinkButton>}>
      {items.length === 0 ? (
        <p className="dim">Nothing in this part of the store can be listed.</p>
      ) : (
        <Table
          label="Items of the feed"
          rows={items}
          columns={[
            ['Offer', (item) => <RowOpener name={item.id} open={() => setShown(item)} />],
            ['Title', ({ title }) => title],
            [
              'Price',
              ({ price, sale_price: salePrice }) =>
                salePrice === undefined ? (
                  price
                ) : (
                  <>
                    {salePrice} <small>instead of {price}</small>
                  </>
                ),
            ],
            ['Availability', ({ availability }) => availability.replaceAll('_', ' ')],
            ['Product', (item) => <ProductOf item={item} />],
          ]}
        />
      )}
      <FeedItemDialog item={shown} close={() => setShown(undefined)} />
    </Section>
  );
}

function LeftOut({ items }: { readonly items: FeedPreview['excluded'] }) {
  return (
    <Section title="What would be left out">
      {items.length === 0 ? <p className="dim">Nothing in this part of the store.</p> : <Excluded items={items} />}
    </Section>
  );
}
