import type { Mapping } from '@sluice/contracts';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { query } from '../../api/client';
import { LinkButton } from '../../parts/button';
import { numbers, rowHead, RowOpener, Section, Table } from '../../parts/page';
import { Listed } from '../../parts/pager';
import { Empty } from '../../parts/states';
import { Status, Time } from '../../parts/values';
import * as texts from '../../texts/listings/offers';
import { ModuleError } from './module-error';
import { Offer } from './offer';
import { OffersFilter } from './offers-filter';
import { ProductOf } from './product-of';
import { usePlaneList } from './queries';

/** All offers. The address holds the filters. */
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
    <Section title={texts.title}>
      <p className="dim">{texts.lead}</p>
      <OffersFilter
        key={`${status}/${product}`}
        status={status}
        product={product}
        choose={(next) => setSearch(next, { replace: true })}
      />
      <Listed
        of={offers}
        turn={turn}
        what={texts.loading}
        note={ModuleError}
        empty={<NoOffers isFiltered={status !== '' || product !== ''} />}
      >
        {(rows) => (
          <Table
            stacks
            label={texts.matching}
            rows={rows}
            columns={[
              [rowHead(texts.offer), (offer) => <RowOpener name={offer.offer_id} open={() => setShown(offer.id)} />],
              [texts.product, (offer) => <ProductOf item={offer} />],
              [texts.status, (offer) => <Status of={offer.listing_status} />],
              [numbers(texts.issues), (offer) => offer.validation_issues.length],
              [texts.lastSent, (offer) => <Time at={offer.last_synced_at} />],
              [texts.lastError, (offer) => offer.last_error ?? <span className="dim">{texts.none}</span>],
            ]}
          />
        )}
      </Listed>
      <Offer offer={open} close={() => setShown(undefined)} />
    </Section>
  );
}

function NoOffers({ isFiltered }: { readonly isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title={texts.noMatch}>
      <p>{texts.noMatchHelp}</p>
    </Empty>
  ) : (
    <Empty title={texts.noOffers}>
      <p>{texts.noOffersHelp}</p>
      <LinkButton to="/listings-ads/sync">{texts.toSync}</LinkButton>
    </Empty>
  );
}
