import { keepPreviousData } from '@tanstack/react-query';
import type { OwnedApp } from '@sluice/contracts';
import { Link } from 'wouter';
import { usePaged } from '../../api/queries';
import { rowHead, Table, unseen } from '../../parts/page';
import { Pager } from '../../parts/pager';
import { Empty, QueryState } from '../../parts/states';
import { Time } from '../../parts/values';
import * as texts from '../../texts/apps';

/** Deleted apps: their history is all that is left. */
export function RemovedApps() {
  const { list: apps, turn } = usePaged<OwnedApp>('/apps', ['owned-apps', null], {
    filter: { removed: true },
    placeholderData: keepPreviousData,
  });
  if (!apps.isSuccess) return <QueryState of={apps} what={texts.loadingDeleted} />;
  if (apps.data.meta.total === 0) return <Empty title={texts.noDeleted} />;
  return (
    <>
      <Table
        label={texts.deletedApps}
        rows={apps.data.data}
        columns={[
          [
            rowHead(texts.app, 'app-name'),
            (app) => (
              <>
                {app.name}
                <small>{app.app_id}</small>
              </>
            ),
          ],
          [texts.deleted, (app) => <Time at={app.removed_at} />],
          [
            unseen(texts.history),
            (app) => (
              <Link to={`/apps/${app.id}/history`} aria-label={texts.historyOf(app.name)}>
                {texts.history}
              </Link>
            ),
          ],
        ]}
      />
      <Pager meta={apps.data.meta} turn={turn} />
    </>
  );
}
