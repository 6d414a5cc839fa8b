import { type Key, memo, type ReactNode } from 'react';
import { Name } from './name';
import { useTitle } from './title';

interface PageHeadProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
}

/** The head of a screen. Its title is also the title of the page. */
export function PageHead({ title, lead, actions }: PageHeadProps) {
  useTitle(title);
  return (
    <header className="head">
      <div>
        <h1>
          <Name>{title}</Name>
        </h1>
        {lead !== undefined && <p className="lead">{lead}</p>}
      </div>
      {actions !== undefined && <div className="buttons">{actions}</div>}
    </header>
  );
}

interface SectionProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a screen with its own heading. */
export function Section({ title, actions, children }: SectionProps) {
  return (
    <section className="card" aria-label={title}>
      <header className="head">
        <h2>
          <Name>{title}</Name>
        </h2>
        {actions !== undefined && <div className="buttons">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

interface FactsProps {
  readonly facts: Readonly<Record<string, ReactNode>>;
  readonly wide?: boolean;
}

/** Names and values, as a description list; `wide`: one below the other, each in a line of its own. */
export function Facts({ facts, wide = false }: FactsProps) {
  return (
    <dl className={wide ? 'facts wide' : 'facts'}>
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/**
 * The head of a column. `row`: its cells name their rows. `number`: its cells are aligned as numbers. `unseen`: only
 * screen readers get the head. `className`: of its cells.
 */
export type Head =
  string | { readonly name: string; readonly kind?: 'number' | 'row' | 'unseen'; readonly className?: string };

type Columns<Row> = readonly (readonly [head: Head, cell: (row: Row) => ReactNode])[];

interface TableProps<Row> {
  readonly label: string;
  readonly columns: Columns<Row>;
  readonly rows: readonly Row[];
  readonly keyOf?: (row: Row) => Key;
  /** Each row becomes a card on a narrow screen, with the name of each column above its value. */
  readonly stacks?: boolean;
}

/**
 * A table that scrolls sideways on a narrow screen, unless it `stacks`. A last column that is `unseen` holds a menu or
 * buttons. The key of a row is `keyOf`, else its `id`. A row is rendered again only if it, or `columns`, is another
 * object.
 */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf = (row) => (row as { readonly id: Key }).id,
  stacks = false,
}: TableProps<Row>) {
  const heads = columns.map(([head]) => partsOf(head));
  return (
    <div
      className={`table${heads.at(-1)?.kind === 'unseen' ? ' held' : ''}${stacks ? ' stacks' : ''}`}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {/* Browsers drop the roles of a table that is laid out in another way, so all are stated. */}
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">
            {heads.map(({ name, kind }) => (
              <th key={name} role="columnheader" scope="col" className={kind === 'number' ? kind : undefined}>
                {kind === 'unseen' ? <span className="visually-hidden">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <TableRow key={keyOf(row)} row={row} columns={columns} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const TableRow = memo(function TableRow<Row>({ row, columns }: { readonly row: Row; readonly columns: Columns<Row> }) {
  return (
    <tr role="row">
      {columns.map(([head, cell]) => {
        const { name, kind, className } = partsOf(head);
        return kind === 'row' ? (
          <th key={name} role="rowheader" scope="row" className={className}>
            {cell(row)}
          </th>
        ) : (
          <td key={name} role="cell" data-head={name} className={kind === 'number' ? kind : className}>
            {cell(row)}
          </td>
        );
      })}
    </tr>
  );
}) as <Row>(props: { readonly row: Row; readonly columns: Columns<Row> }) => ReactNode;

const partsOf = (head: Head): Exclude<Head, string> => (typeof head === 'string' ? { name: head } : head);

export const numbers = (name: string): Head => ({ name, kind: 'number' });
export const rowHead = (name: string, className?: string): Head => ({
  name,
  kind: 'row',
  ...(className !== undefined && { className }),
});
export const unseen = (name: string): Head => ({ name, kind: 'unseen' });

/** Opens the details of a row. */
export function RowOpener({ name, open }: { readonly name: string; readonly open: () => void }) {
  return (
    <button type="button" className="row-opener" onClick={open}>
      <code>{name}</code>
    </button>
  );
}
