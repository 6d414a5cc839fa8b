import type { SyncLog } from '@sluice/contracts';
import type { ReactNode } from 'react';
import { Section, Table } from '../../parts/page';
import { Copyable } from '../../parts/values';
import * as texts from '../../texts/listings/sync';
import { Excluded } from './excluded';

/** The details of a log. A member is missing if it has no content. */
interface Details {
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

/** Details that are lists of names. */
const NAMED = [
  ['duplicates', texts.duplicates, texts.duplicatesHelp],
  ['unknown_categories', texts.unknownCategories, texts.unknownCategoriesHelp],
  ['ambiguous_categories', texts.ambiguousCategories, texts.ambiguousCategoriesHelp],
] as const;

/** The details of a log. */
export function LogDetails({ details }: Pick<SyncLog, 'details'>) {
  const { failures = [], exclusions = [], undeleted = 0, excluded = 0 } = details as Details;
  return (
    <>
      {failures.length > 0 && (
        <Part title={texts.rejected} note={texts.rejectedHelp}>
          <Table
            label={texts.rejectedOffers}
            rows={failures}
            keyOf={({ offer }) => offer}
            columns={[
              [texts.offer, ({ offer }) => <code>{offer}</code>],
              [texts.code, ({ code }) => <code>{code}</code>],
              [texts.reason, ({ message }) => message],
            ]}
          />
        </Part>
      )}
      {exclusions.length > 0 && (
        <Part title={texts.excluded} note={texts.excludedCount(excluded, exclusions.length)}>
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
        const names = (details as Details)[member] ?? [];
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
          <p>{texts.undeleted(undeleted)}</p>
        </div>
      )}
      <Part title={texts.detailsAsJson}>
        <Copyable block text={JSON.stringify(details, undefined, 2)} label={texts.theDetails} />
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
