import type { SyncLog } from '@sluice/contracts';
import type { ReactNode } from 'react';
import { Section, Table } from '../../parts/page';
import { Copyable } from '../../parts/values';
import { Excluded } from './excluded';

/** What the server puts into the details of a log; each is left out where there is nothing to tell. */
interface Told {
  readonly failures?: readonly { readonly offer: string; readonly code: string; readonly message: string }[];
  readonly exclusions?: readonly {
    readonly productId: string;
    readonly variationId: string | null;
    readonly reasons: string[];
  }[];
  readonly duplicates?: readonly string[];
  readonly unknown_categories?: readonly string[];
  readonly ambiguous_categories?: readonly string[];
  readonly undeleted?: number;
  readonly excluded?: number;
}

/** Details that are shown only by name. */
const NAMED = [
  [
    'duplicates',
    'Repeated offer ids',
    'Several items of the store have these ids, and the first of each was sent. Give them ids of their own.',
  ],
  ['unknown_categories', 'Unknown categories', 'Category mappings name them, and the store has no such categories.'],
  [
    'ambiguous_categories',
    'Ambiguous categories',
    'Several categories of the store have these names. Write their paths from the root into the feed settings.',
  ],
] as const;

/** What a log has in addition to its counts. */
export function LogDetails({ details }: Pick<SyncLog, 'details'>) {
  const { failures = [], exclusions = [], undeleted = 0, excluded = 0 } = details as Told;
  return (
    <>
      {failures.length > 0 && (
        <Part title="Rejected by the merchant account" note="The first rejections; each offer shows its own.">
          <Table
            label="Refused offers"
            rows={failures}
            keyOf={({ offer }) => offer}
            columns={[
              ['Offer', ({ offer }) => <code>{offer}</code>],
              ['Code', ({ code }) => <code>{code}</code>],
              ['Why', ({ message }) => message],
            ]}
          />
        </Part>
      )}
      {exclusions.length > 0 && (
        <Part
          title="Left out"
          note={`${excluded.toLocaleString()} in all${excluded > exclusions.length ? `; these are the first ${exclusions.length}` : ''}.`}
        >
          <Excluded
            items={exclusions.map(({ productId, variationId, reasons }) => ({
              product_id: productId,
              variation_id: variationId,
              reasons,
            }))}
          />
        </Part>
      )}
      {NAMED.map(([member, title, note]) => {
        const names = (details as Told)[member] ?? [];
        return (
          names.length > 0 && (
            <Part key={member} title={title} note={note}>
              <ul>
                {names.map((name) => (
                  <li key={name}>
                    <code>{name}</code>
                  </li>
                ))}
              </ul>
            </Part>
          )
        );
      })}
      {undeleted > 0 && (
        <div className="note warn">
          <p>
            {undeleted.toLocaleString()} offers are no longer listed by the store and were not deleted, as the sync
            settings say.
          </p>
        </div>
      )}
      <Part title="Details, as a program reads them">
        <Copyable block text={JSON.stringify(details, undefined, 2)} label="the details" />
      </Part>
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly note?: string;
  readonly children: ReactNode;
}

function Part({ title, note, children }: PartProps) {
  return (
    <Section title={title}>
      {note !== undefined && <p className="dim">{note}</p>}
      {children}
    </Section>
  );
}
