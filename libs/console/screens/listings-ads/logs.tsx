import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { SyncLog } from '@sluice/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { query } from '../../api/client';
import { numbers, Section, Table } from '../../parts/page';
import { Pager } from '../../parts/pager';
import { ErrorNote, Loading } from '../../parts/states';
import { Status, Time } from '../../parts/values';
import { usePlane } from './plane';
import { type Items, LISTINGS } from './queries';
import { lasted, RUN_TYPES, TRIGGERS } from './run';

/** The runs there were, the latest first. */
export function Logs() {
  const [page, setPage] = useState(1);
  const plane = usePlane();
  const logs = useQuery({
    queryKey: [LISTINGS, null, 'logs', page],
    queryFn: () => plane.get<Items<SyncLog>>(`/sync/logs${query({ page, per_page: 20 })}`),
    placeholderData: keepPreviousData,
  });
  return (
    <Section title="Runs">
      {logs.isPending && <Loading what="the runs" />}
      {logs.isError && <ErrorNote error={logs.error} again={() => void logs.refetch()} />}
      {logs.data?.items.length === 0 && <p className="dim">There was no run yet.</p>}
      {logs.data !== undefined && logs.data.items.length > 0 && (
        <Table
          label="Every run"
          head={[
            'Started',
            'What',
            'Status',
            numbers('Sent'),
            numbers('Skipped'),
            numbers('Failed'),
            numbers('Deleted'),
            'Took',
          ]}
        >
          {logs.data.items.map((log) => (
            <tr key={log.id}>
              <td>
                <Link to={`/listings-ads/sync/${log.id}`}>
                  <Time at={log.started_at} />
                </Link>
              </td>
              <td>
                {RUN_TYPES[log.run_type]} <small>{TRIGGERS[log.trigger]}</small>
              </td>
              <td>
                <Status of={log.status} />
              </td>
              <td className="number">{log.items_processed.toLocaleString()}</td>
              <td className="number">{log.items_skipped.toLocaleString()}</td>
              <td className="number">{log.items_failed.toLocaleString()}</td>
              <td className="number">{log.items_deleted.toLocaleString()}</td>
              <td>{lasted(log)}</td>
            </tr>
          ))}
        </Table>
      )}
      {logs.data !== undefined && <Pager meta={logs.data.meta} turn={setPage} />}
    </Section>
  );
}
