import { ApiError } from '../../../api/client';
import { useList } from '../../../api/queries';
import { PageHead } from '../../../parts/page';
import { NotFound } from '../../../parts/states';
import type { TimelineEntry } from '../../../parts/timeline';
import * as texts from '../../../texts/app';
import { History } from './history';

/** A deleted app, whose history is kept. */
export function DeletedApp({ id }: { readonly id: number }) {
  const last = useList<TimelineEntry>(`/apps/${id}/history?type=AppRemovalStarted`, ['history', id]);
  if (last.error instanceof ApiError && last.error.status === 404) return <NotFound />;
  const name = last.data?.data[0]?.before?.['name'];
  const title = typeof name === 'string' ? name : texts.unnamed(id);
  return (
    <>
      <PageHead title={title} lead={texts.deleted} />
      <History app={{ id }} deleted />
    </>
  );
}
