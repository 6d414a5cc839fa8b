import type { SyncLog } from '@sluice/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { query } from '../../api/client';
import { numbers, rowHead, Section, Table } from '../../parts/page';
import { Listed } from '../../parts/pager';
import { Status, Time } from '../../parts/values';
import * as texts from '../../texts/listings/sync';
import { usePlaneList } from './queries';
import { durationOf } from './run';

/** All runs, the latest first. */
export function Logs() {
  const [page, setPage] = useState(1);
  const logs = usePlaneList<SyncLog>(`/sync/logs${query({ page, per_page: 20 })}`);
  return (
    <Section title={texts.runs}>
      <Listed of={logs} turn={setPage} what={texts.loadingRuns} empty={<p className="dim">{texts.noRuns}</p>}>
        {(rows) => (
          <Table
            stacks
            label={texts.allRuns}
            rows={rows}
            columns={[
              [
                rowHead(texts.started),
                (log) => (
                  <Link to={`/listings-ads/sync/${log.id}`}>
                    <Time at={log.started_at} />
                  </Link>
                ),
              ],
              [
                texts.scope,
                (log) => (
                  <>
                    {texts.runTypes[log.run_type]} <small>{texts.triggers[log.trigger]}</small>
                  </>
                ),
              ],
              [texts.status, (log) => <Status of={log.status} />],
              [numbers(texts.sent), (log) => log.items_processed.toLocaleString()],
              [numbers(texts.skipped), (log) => log.items_skipped.toLocaleString()],
              [numbers(texts.failed), (log) => log.items_failed.toLocaleString()],
              [numbers(texts.deleted), (log) => log.items_deleted.toLocaleString()],
              [texts.duration, durationOf],
            ]}
          />
        )}
      </Listed>
    </Section>
  );
}
