import type { FeedItem } from '@sluice/contracts';
import { Modal } from '../../parts/dialog';
import { Facts } from '../../parts/page';
import * as texts from '../../texts/listings/feed';

/** One item with all attributes that are sent. */
export function FeedItemDialog({ item, close }: { readonly item: FeedItem | undefined; readonly close: () => void }) {
  return (
    <Modal title={item?.title ?? ''} open={item !== undefined} close={close}>
      {item !== undefined && (
        <Facts facts={Object.fromEntries(Object.entries(item).map(([name, value]) => [name, textOf(value)]))} />
      )}
    </Modal>
  );
}

function textOf(value: FeedItem[keyof FeedItem]): string {
  if (value === null || value === undefined) return texts.none;
  if (typeof value === 'string') return value;
  return value.map((each) => (typeof each === 'string' ? each : Object.values(each).join(' '))).join(', ');
}
