import type { AppOverview } from '@sluice/contracts';
import { useDeferredValue, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Button } from '../../parts/button';
import { PageHead } from '../../parts/page';
import { Empty, ErrorNote, Loading } from '../../parts/states';
import { useWanted } from '../../parts/wanted';
import * as texts from '../../texts/apps';
import { AppCards } from './app-cards';
import { AppTable } from './app-table';
import './apps.css';
import { NewApp } from './new-app';
import { useOverview } from './overview';
import { FailingBanner } from './failing-banner';
import { failingBuilds } from './health';
import { PlanBanner } from './plan-banner';
import { RemovedApps } from './removed-apps';

/** More apps than this are shown a line each. */
const MAX_CARDS = 12;

export default function Apps() {
  const [making, setMaking] = useState(false);
  const [search] = useSearchParams();
  useWanted(({ what }) => {
    if (what === 'create') setMaking(true);
  });
  const isRemoved = search.get('removed') === 'true';
  const make = () => setMaking(true);
  const { data } = useOverview(false);
  // Then its only primary button is the one of the empty screen.
  const isEmpty = !isRemoved && data?.length === 0;
  return (
    <>
      <PageHead
        title={isRemoved ? texts.deletedApps : texts.title}
        actions={
          <>
            <Link to={isRemoved ? '/apps' : '/apps?removed=true'} className="button">
              {isRemoved ? texts.toApps : texts.deletedApps}
            </Link>
            {!isEmpty && (
              <Button kind="primary" onClick={make}>
                {texts.newApp}
              </Button>
            )}
          </>
        }
      />
      {isRemoved ? <RemovedApps /> : <Overview make={make} />}
      <NewApp open={making} close={() => setMaking(false)} />
    </>
  );
}

const isFailing = (app: AppOverview): boolean => failingBuilds(app).length > 0;

function Overview({ make }: { readonly make: () => void }) {
  const [wanted, setWanted] = useState('');
  const filter = useDeferredValue(wanted.trim().toLowerCase());
  const { data: apps, total, isComplete, error, refetch } = useOverview();
  if (apps === undefined) {
    return error === null ? <Loading what={texts.loading} /> : <ErrorNote error={error} retry={refetch} />;
  }
  if (total === 0) {
    return (
      <Empty title={texts.noApps}>
        <p>{texts.firstApp}</p>
        <Button kind="primary" onClick={make}>
          {texts.createFirst}
        </Button>
      </Empty>
    );
  }
  const failingFirst = apps.toSorted((a, b) => Number(isFailing(b)) - Number(isFailing(a)));
  const found = failingFirst.filter(({ name, app_id: id }) => `${name} ${id}`.toLowerCase().includes(filter));
  const View = total > MAX_CARDS ? AppTable : AppCards;
  return (
    <>
      {error !== null && <ErrorNote error={error} retry={refetch} />}
      <FailingBanner apps={apps} />
      <PlanBanner apps={apps} />
      {total > 1 && (
        <div className="app-filter">
          <input
            type="search"
            aria-label={texts.find}
            placeholder={texts.findHint}
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
          <span className="dim" role="status">
            {filter === '' ? texts.total(total) : texts.foundOf(found.length, total)}
            {!isComplete && error === null && texts.loadingMore}
          </span>
        </div>
      )}
      {found.length === 0 ? (
        <Empty title={texts.noMatch}>
          <p>{texts.noMatchFor(wanted.trim())}</p>
          <Button onClick={() => setWanted('')}>{texts.showAll}</Button>
        </Empty>
      ) : (
        <View apps={found} />
      )}
    </>
  );
}
