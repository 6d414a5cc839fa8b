import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Mapping } from '@sluice/contracts';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { query } from '../../api/client';
import { LinkButton } from '../../parts/button';
import { numbers, Section, Table } from '../../parts/page';
import { Pager } from '../../parts/pager';
import { Empty, Loading } from '../../parts/states';
import { Status, Time } from '../../parts/values';
import { Offer } from './offer';
import { OffersFilter } from './offers-filter';
import { usePlane } from './plane';
import { type Items, LISTINGS } from './queries';
import { Refused } from './refused';

/** What became of each offer. The filters stand in the address. */
export function Offers() {
  const [search, setSearch] = useSearchParams();
  const [shown, setShown] = useState<string>();
  const status = search.get('status') ?? '';
  const product = search.get('product') ?? '';
  const page = Number(search.get('page') ?? 1);
  const plane = usePlane();
  const offers = useQuery({
    queryKey: [LISTINGS, null, 'mappings', status, product, page],
    queryFn: () =>
      plane.get<Items<Mapping>>(
        `/mappings${query({ listing_status: status, product_id: product, page, per_page: 50 })}`,
      ),
    placeholderData: keepPreviousData,
  });
  const turn = (to: number): void =>
    setSearch((before) => {
      before.set('page', String(to));
      return before;
    });
  const open = offers.data?.items.find(({ id }) => id === shown);
  return (
    <Section title="Offers">
      <p className="dim">As the last sync found them. One product is one offer, or one for each of its variations.</p>
      <OffersFilter
        key={`${status}/${product}`}
        status={status}
        product={product}
        choose={(next) => setSearch(next, { replace: true })}
      />
      {offers.isPending && <Loading what="the offers" />}
      {offers.isError && <Refused error={offers.error} again={() => void offers.refetch()} />}
      {offers.data?.items.length === 0 && <None filtered={status !== '' || product !== ''} />}
      {offers.data !== undefined && offers.data.items.length > 0 && (
        <Table label="Offers found" head={['Offer', 'Product', 'Status', numbers('Issues'), 'Last sent', 'Last error']}>
          {offers.data.items.map((offer) => (
            <tr key={offer.id}>
              <td>
                <button type="button" className="row-opener" onClick={() => setShown(offer.id)}>
                  <code>{offer.offer_id}</code>
                </button>
              </td>
              <td>
                {offer.product_id}
                {offer.variation_id !== null && <small> variation {offer.variation_id}</small>}
              </td>
              <td>
                <Status of={offer.listing_status} />
              </td>
              <td className="number">{offer.validation_issues.length}</td>
              <td>
                <Time at={offer.last_synced_at} />
              </td>
              <td>{offer.last_error ?? <span className="dim">none</span>}</td>
            </tr>
          ))}
        </Table>
      )}
      {offers.data !== undefined && <Pager meta={offers.data.meta} turn={turn} />}
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
