import { keepPreviousData } from '@tanstack/react-query';
import type { OwnedApp } from '@sluice/contracts';
import { Link } from 'wouter';
import { usePaged } from '../../api/queries';
import { rowHead, Table, unseen } from '../../parts/page';
import { Pager } from '../../parts/pager';
import { Empty, QueryState } from '../../parts/states';
import { Time } from '../../parts/values';

/** Deleted apps: their history is all that is left. */
export function RemovedApps() {
  const { list: apps, turn } = usePaged<OwnedApp>('/apps', ['owned-apps', null], {
    filter: { removed: true },
    placeholderData: keepPreviousData,
  });
  if (!apps.isSuccess) return <QueryState of={apps} what="the deleted apps" />;
  if (apps.data.meta.total === 0) return <Empty title="No app was ever deleted" />;
  return (
    <>
      <Table
        label="Deleted apps"
        rows={apps.data.data}
        columns={[
          [
            rowHead('App', 'app-name'),
            (app) => (
              <>
                {app.name}
                <small>{app.app_id}</small>
              </>
            ),
          ],
          ['Deleted', (app) => <Time at={app.removed_at} />],
          [
            unseen('History'),
            (app) => (
              <Link to={`/apps/${app.id}/history`} aria-label={`History of ${app.name}`}>
                History
              </Link>
            ),
          ],
        ]}
      />
      <Pager meta={apps.data.meta} turn={turn} />
    </>
  );
}
