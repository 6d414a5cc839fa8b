import type { SyncLog } from '@sluice/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { query } from '../../api/client';
import { numbers, Section, Table } from '../../parts/page';
import { Listed } from '../../parts/pager';
import { Status, Time } from '../../parts/values';
import { usePlaneList } from './queries';
import { lasted, RUN_TYPES, TRIGGERS } from './run';

/** The runs there were, the latest first. */
export function Logs() {
  const [page, setPage] = useState(1);
  const logs = usePlaneList<SyncLog>(`/sync/logs${query({ page, per_page: 20 })}`);
  return (
    <Section title="Runs">
      <Listed of={logs} turn={setPage} what="the runs" empty={<p className="dim">There was no run yet.</p>}>
        {(rows) => (
          <Table
            label="Every run"
            rows={rows}
            columns={[
              [
                'Started',
                (log) => (
                  <Link to={`/listings-ads/sync/${log.id}`}>
                    <Time at={log.started_at} />
                  </Link>
                ),
              ],
              [
                'What',
                (log) => (
                  <>
                    {RUN_TYPES[log.run_type]} <small>{TRIGGERS[log.trigger]}</small>
                  </>
                ),
              ],
              ['Status', (log) => <Status of={log.status} />],
              [numbers('Sent'), (log) => log.items_processed.toLocaleString()],
              [numbers('Skipped'), (log) => log.items_skipped.toLocaleString()],
              [numbers('Failed'), (log) => log.items_failed.toLocaleString()],
              [numbers('Deleted'), (log) => log.items_deleted.toLocaleString()],
              ['Took', lasted],
            ]}
          />
        )}
      </Listed>
    </Section>
  );
}
