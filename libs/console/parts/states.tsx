import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError, isOfFields } from '../api/client';
import { Button, LinkButton } from './button';
import { useTitle } from './title';

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="loading" role="status">
      <span className="spinner" aria-hidden="true" /> Loading {what} …
    </p>
  );
}

/** What happened and how to continue, next to its cause. */
export function ErrorNote({ error, again }: { readonly error: Error; readonly again?: () => void }) {
  const wait = error instanceof ApiError ? error.retryAfter : undefined;
  const fields = error instanceof ApiError ? Object.values(error.fields).flat() : [];
  return (
    <div className="note danger" role="alert">
      <p>{error.message}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      {wait !== undefined && <p>It can be tried again in {wait} s.</p>}
      {again !== undefined && <Button onClick={again}>Try again</Button>}
    </div>
  );
}

/** Where faults of fields are shown at their fields. */
export const NoteBesideFields: typeof ErrorNote = (props) =>
  isOfFields(props.error) ? <></> : <ErrorNote {...props} />;

/** While a query has no answer, that it is loaded; what it was refused with. */
export function QueryState({
  of: { isPending, error, refetch },
  what,
  note: Note = ErrorNote,
}: {
  readonly of: Pick<UseQueryResult, 'isPending' | 'error' | 'refetch'>;
  readonly what: string;
  readonly note?: typeof ErrorNote;
}) {
  return (
    <>
      {isPending && <Loading what={what} />}
      {error !== null && <Note error={error} again={() => void refetch()} />}
    </>
  );
}

/** Of a place with nothing in it: what to do next. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function NotFound() {
  useTitle('Nothing here');
  return (
    <Empty title="There is nothing here">
      <p>The address names no screen of the console, or what it names has been deleted.</p>
      <LinkButton to="/apps">To the apps</LinkButton>
    </Empty>
  );
}
