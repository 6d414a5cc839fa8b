import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError, hasFieldErrors } from '../api/client';
import * as texts from '../texts/parts';
import { Button, LinkButton } from './button';
import { useTitle } from './title';

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="loading" role="status">
      <span className="spinner" aria-hidden="true" /> {texts.loading(what)}
    </p>
  );
}

/** An error, and how to continue, shown next to its cause. */
export function ErrorNote({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
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
      {wait !== undefined && <p>{texts.tryAgainIn(wait)}</p>}
      {retry !== undefined && <Button onClick={retry}>{texts.tryAgain}</Button>}
    </div>
  );
}

/** For forms, which show faults of fields at their fields. */
export const FormErrorNote: typeof ErrorNote = (props) =>
  hasFieldErrors(props.error) ? <></> : <ErrorNote {...props} />;

/** A query that is loading, or its error. */
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
      {error !== null && <Note error={error} retry={() => void refetch()} />}
    </>
  );
}

/** Shown in place of an empty list, with the next step. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function NotFound() {
  useTitle(texts.notFound);
  return (
    <Empty title={texts.notFound}>
      <p>{texts.notFoundHelp}</p>
      <LinkButton to="/apps">{texts.toApps}</LinkButton>
    </Empty>
  );
}
