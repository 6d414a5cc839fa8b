import { ApiError } from '../../../api/client';
import { useList } from '../../../api/queries';
import { PageHead } from '../../../parts/page';
import { NotFound } from '../../../parts/states';
import type { TimelineEntry } from '../../../parts/timeline';
import { History } from './history';

/** Of an app that has been deleted its history stays. */
export function RemovedApp({ id }: { readonly id: number }) {
  const last = useList<TimelineEntry>(`/apps/${id}/history?type=AppRemovalStarted`, ['history', id]);
  if (last.error instanceof ApiError && last.error.status === 404) return <NotFound />;
  const name = last.data?.data[0]?.before?.['name'];
  return (
    <>
      <PageHead
        title={typeof name === 'string' ? name : `App ${id}`}
        lead="This app has been deleted. What happened to it stays on record."
      />
      <History app={{ id }} removed />
    </>
  );
}
