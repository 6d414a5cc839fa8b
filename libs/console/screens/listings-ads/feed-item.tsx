import type { FeedItem } from '@sluice/contracts';
import { Modal } from '../../parts/dialog';
import { Facts } from '../../parts/page';

/** One item with every attribute that is sent. */
export function FeedItemDialog({ item, close }: { readonly item: FeedItem | undefined; readonly close: () => void }) {
  return (
    <Modal title={item?.title ?? ''} open={item !== undefined} close={close}>
      {item !== undefined && (
        <Facts facts={Object.fromEntries(Object.entries(item).map(([name, value]) => [name, worded(value)]))} />
      )}
    </Modal>
  );
}

function worded(value: FeedItem[keyof FeedItem]): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'string') return value;
  return value.map((each) => (typeof each === 'string' ? each : Object.values(each).join(' '))).join(', ');
}
