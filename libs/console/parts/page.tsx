import type { ReactNode } from 'react';
import { Name } from './name';
import { useTitle } from './title';

/** The head of a screen; its title is the page's too. */
export function PageHead({
  title,
  lead,
  actions,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
}) {
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

/** A part of a screen with a heading of its own. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
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

/** Names and values, as a description list. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** By its name; `unseen`: told to those alone who don't see that its cells need no head. */
export type Column = string | { readonly name: string; readonly kind: 'number' | 'unseen' };

/**
 * A table that scrolls by itself where the screen is narrower; a last column that is `unseen`, which holds a menu or
 * buttons, then stays in view. Its children are the rows below its head.
 */
export function Table({
  label,
  head,
  children,
}: {
  readonly label: string;
  readonly head: readonly Column[];
  readonly children: ReactNode;
}) {
  const last = head.at(-1);
  const isHeld = typeof last === 'object' && last.kind === 'unseen';
  return (
    <div className={isHeld ? 'table held' : 'table'} tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((column) => {
              const { name, kind } = typeof column === 'string' ? { name: column, kind: undefined } : column;
              return (
                <th key={name} scope="col" className={kind === 'number' ? kind : undefined}>
                  {kind === 'unseen' ? <span className="visually-hidden">{name}</span> : name}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** The head of a column of numbers. */
export const numbers = (name: string): Column => ({ name, kind: 'number' });
/** The head of the last column, whose cells hold a menu or buttons. */
export const ACTIONS: Column = { name: 'Actions', kind: 'unseen' };
