import type { FeedPreview } from '@sluice/contracts';
import { Table } from '../../parts/page';

/** What is not listed, and why. */
export function Excluded({ items }: { readonly items: FeedPreview['excluded'] }) {
  return (
    <Table label="Items left out" head={['Product', 'Variation', 'Why']}>
      {items.map(({ product_id, variation_id, reasons }) => (
        <tr key={`${product_id}/${variation_id ?? ''}`}>
          <td>
            <code>{product_id}</code>
          </td>
          <td>{variation_id === null ? <span className="dim">none</span> : <code>{variation_id}</code>}</td>
          <td>{reasons.join(' ')}</td>
        </tr>
      ))}
    </Table>
  );
}
