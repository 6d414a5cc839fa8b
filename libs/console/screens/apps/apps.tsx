import { useDeferredValue, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Button } from '../../parts/button';
import { PageHead } from '../../parts/page';
import { Empty, ErrorNote, Loading } from '../../parts/states';
import { AppCards } from './app-cards';
import { AppTable } from './app-table';
import './apps.css';
import { NewApp } from './new-app';
import { useOverview } from './overview';
import { RemovedApps } from './removed-apps';

/** More apps than this are shown a line each. */
const MAX_CARDS = 12;

export default function Apps() {
  const [making, setMaking] = useState(false);
  const [search] = useSearchParams();
  const isRemoved = search.get('removed') === 'true';
  return (
    <>
      <PageHead
        title={isRemoved ? 'Deleted apps' : 'Apps'}
        actions={
          <>
            <Link to={isRemoved ? '/apps' : '/apps?removed=true'} className="button quiet">
              {isRemoved ? 'To the apps' : 'Deleted apps'}
            </Link>
            <Button kind="primary" onClick={() => setMaking(true)}>
              New app
            </Button>
          </>
        }
      />
      {isRemoved ? <RemovedApps /> : <Overview />}
      <NewApp open={making} close={() => setMaking(false)} />
    </>
  );
}

function Overview() {
  const [wanted, setWanted] = useState('');
  const filter = useDeferredValue(wanted.trim().toLowerCase());
  const { data: apps, total, isComplete, error, refetch } = useOverview();
  if (apps === undefined) {
    return error === null ? <Loading what="the apps" /> : <ErrorNote error={error} again={refetch} />;
  }
  if (total === 0) {
    return (
      <Empty title="No app yet">
        <p>An app is what devices ask for: make one, give it an API key, then upload its first build.</p>
      </Empty>
    );
  }
  const found = apps.filter(({ name, app_id: id }) => `${name} ${id}`.toLowerCase().includes(filter));
  const View = total > MAX_CARDS ? AppTable : AppCards;
  return (
    <>
      {error !== null && <ErrorNote error={error} again={refetch} />}
      {total > 1 && (
        <div className="app-filter">
          <input
            type="search"
            aria-label="Find an app by its name or id"
            placeholder="Find by name or id"
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
          <span className="dim" role="status">
            {filter === ''
              ? `${total.toLocaleString()} apps`
              : `${found.length.toLocaleString()} of ${total.toLocaleString()} apps`}
            {!isComplete && error === null && ' · loading the others …'}
          </span>
        </div>
      )}
      {found.length === 0 ? (
        <Empty title="No app like that">
          <p>No name and no id holds “{wanted.trim()}”.</p>
          <Button onClick={() => setWanted('')}>Show all</Button>
        </Empty>
      ) : (
        <View apps={found} />
      )}
    </>
  );
}
