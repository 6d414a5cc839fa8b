import type { Mapping } from '@sluice/contracts';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { query } from '../../api/client';
import { LinkButton } from '../../parts/button';
import { numbers, RowOpener, Section, Table } from '../../parts/page';
import { Listed } from '../../parts/pager';
import { Empty } from '../../parts/states';
import { Status, Time } from '../../parts/values';
import { Offer } from './offer';
import { OffersFilter } from './offers-filter';
import { ProductOf } from './product-of';
import { usePlaneList } from './queries';
import { Refused } from './refused';

/** What became of each offer. The filters stand in the address. */
export function Offers() {
  const [search, setSearch] = useSearchParams();
  const [shown, setShown] = useState<string>();
  const status = search.get('status') ?? '';
  const product = search.get('product') ?? '';
  const page = Number(search.get('page') ?? 1);
  const filter = { listing_status: status, product_id: product };
  const offers = usePlaneList<Mapping>(`/mappings${query({ ...filter, page, per_page: 50 })}`);
  const turn = (to: number): void =>
    setSearch((before) => {
      before.set('page', String(to));
      return before;
    });
  const open = offers.data?.data.find(({ id }) => id === shown);
  return (
    <Section title="Offers">
      <p className="dim">As the last sync found them. One product is one offer, or one for each of its variations.</p>
      <OffersFilter
        key={`${status}/${product}`}
        status={status}
        product={product}
        choose={(next) => setSearch(next, { replace: true })}
      />
      <Listed
        of={offers}
        turn={turn}
        what="the offers"
        note={Refused}
        empty={<None filtered={status !== '' || product !== ''} />}
      >
        {(rows) => (
          <Table
            label="Offers found"
            rows={rows}
            columns={[
              ['Offer', (offer) => <RowOpener name={offer.offer_id} open={() => setShown(offer.id)} />],
              ['Product', (offer) => <ProductOf item={offer} />],
              ['Status', (offer) => <Status of={offer.listing_status} />],
              [numbers('Issues'), (offer) => offer.validation_issues.length],
              ['Last sent', (offer) => <Time at={offer.last_synced_at} />],
              ['Last error', (offer) => offer.last_error ?? <span className="dim">none</span>],
            ]}
          />
        )}
      </Listed>
      <Offer offer={open} close={() => setShown(undefined)} />
    </Section>
  );
}

function None({ filtered }: { readonly filtered: boolean }) {
  return filtered ? (
    <Empty title="No offer fits the filters">
      <p>Choose another status, or another product.</p>
    </Empty>
  ) : (
    <Empty title="No offer yet">
      <p>The first sync makes one for each product that can be listed.</p>
      <LinkButton to="/listings-ads/sync">To the sync</LinkButton>
    </Empty>
  );
}
