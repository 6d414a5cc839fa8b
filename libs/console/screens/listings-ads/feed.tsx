import { keepPreviousData } from '@tanstack/react-query';
import type { FeedItem, FeedPreview } from '@sluice/contracts';
import { useState } from 'react';
import { query } from '../../api/client';
import { Button, LinkButton } from '../../parts/button';
import { rowHead, RowOpener, Section, Table } from '../../parts/page';
import { Loading } from '../../parts/states';
import * as texts from '../../texts/listings/feed';
import { next as nextPart, previous } from '../../texts/parts';
import { Excluded } from './excluded';
import { FeedDownload } from './feed-download';
import { FeedItemDialog } from './feed-item';
import { ModuleError } from './module-error';
import { ProductOf } from './product-of';
import { SHOP, usePlaneQuery } from './queries';

const PART = 50;

/** Items that would be listed, and items that are excluded. The shop is read each time. */
export function Feed() {
  // The start of each part, up to the one that is shown.
  const [offsets, setOffsets] = useState<readonly number[]>([0]);
  const offset = offsets.at(-1) ?? 0;
  const path = `/feed/preview${query({ limit: PART, offset })}`;
  const preview = usePlaneQuery<FeedPreview>(path, SHOP, { placeholderData: keepPreviousData });
  const next = preview.data?.next_offset ?? null;
  return (
    <>
      <FeedDownload />
      {preview.isPending && <Loading what={texts.loading} />}
      {preview.isError && (
        <Section title={texts.preview}>
          <ModuleError error={preview.error} retry={() => void preview.refetch()} />
        </Section>
      )}
      {preview.data !== undefined && (
        <>
          <Items items={preview.data.items} />
          <ExcludedItems items={preview.data.excluded} />
          {(offsets.length > 1 || next !== null) && (
            <nav className="pager" aria-label={texts.parts}>
              <Button disabled={offsets.length === 1} onClick={() => setOffsets(offsets.slice(0, -1))}>
                {previous}
              </Button>
              <span role="status">{preview.isPlaceholderData ? texts.reading : texts.from(offset + 1)}</span>
              <Button
                disabled={next === null || preview.isPlaceholderData}
                onClick={() => next !== null && setOffsets([...offsets, next])}
              >
                {nextPart}
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
    <Section title={texts.included} actions={<LinkButton to="/listings-ads/settings">{texts.feedSettings}</LinkButton>}>
      {items.length === 0 ? (
        <p className="dim">{texts.noneIncluded}</p>
      ) : (
        <Table
          stacks
          label={texts.items}
          rows={items}
          columns={[
            [rowHead(texts.offer), (item) => <RowOpener name={item.id} open={() => setShown(item)} />],
            [texts.title, ({ title }) => title],
            [
              texts.price,
              ({ price, sale_price: salePrice }) =>
                salePrice === undefined ? (
                  price
                ) : (
                  <>
                    {salePrice} <small>{texts.insteadOf(price)}</small>
                  </>
                ),
            ],
            [texts.availability, ({ availability }) => availability.replaceAll('_', ' ')],
            [texts.product, (item) => <ProductOf item={item} />],
          ]}
        />
      )}
      <FeedItemDialog item={shown} close={() => setShown(undefined)} />
    </Section>
  );
}

function ExcludedItems({ items }: { readonly items: FeedPreview['excluded'] }) {
  return (
    <Section title={texts.excluded}>
      {items.length === 0 ? <p className="dim">{texts.noneExcluded}</p> : <Excluded items={items} />}
    </Section>
  );
}
