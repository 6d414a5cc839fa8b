import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { OwnedApp } from '@sluice/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, query } from '../../api/client';
import { Table } from '../../parts/page';
import { Pager } from '../../parts/pager';
import { Empty, ErrorNote, Loading } from '../../parts/states';
import { Time } from '../../parts/values';

/** Deleted apps: their history is all that is left. */
export function RemovedApps() {
  const [page, setPage] = useState(1);
  const apps = useQuery({
    queryKey: ['owned-apps', null, page],
    queryFn: ({ signal }) => api.list<OwnedApp>(`/apps${query({ removed: true, page, per_page: 50 })}`, signal),
    placeholderData: keepPreviousData,
  });
  if (apps.isPending) return <Loading what="the deleted apps" />;
  if (apps.isError) return <ErrorNote error={apps.error} again={() => void apps.refetch()} />;
  if (apps.data.meta.total === 0) return <Empty title="No app was ever deleted" />;
  return (
    <>
      <Table label="Deleted apps" head={['App', 'Deleted', { name: 'History', kind: 'unseen' }]}>
        {apps.data.data.map((app) => (
          <tr key={app.id}>
            <th scope="row" className="app-name">
              {app.name}
              <small>{app.app_id}</small>
            </th>
            <td>
              <Time at={app.removed_at} />
            </td>
            <td>
              <Link to={`/apps/${app.id}/history`} aria-label={`History of ${app.name}`}>
                History
              </Link>
            </td>
          </tr>
        ))}
      </Table>
      <Pager meta={apps.data.meta} turn={setPage} />
    </>
  );
}
