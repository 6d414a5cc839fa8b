import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';

export type ButtonKind = 'primary' | 'plain' | 'danger' | 'quiet';

type Props = ComponentProps<'button'> & {
  readonly kind?: ButtonKind;
  /** Its action is in progress: it shows that, and can't be pressed again. */
  readonly busy?: boolean;
};

/** A busy button keeps the focus, unlike a disabled one. */
export function Button({ kind = 'plain', busy = false, onClick, children, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      className={`button ${kind}`}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}

interface LinkButtonProps {
  readonly to: string;
  readonly kind?: ButtonKind;
  readonly children: ReactNode;
}

export function LinkButton({ to, kind = 'plain', children }: LinkButtonProps) {
  return (
    <Link to={to} className={`button ${kind}`}>
      {children}
    </Link>
  );
}
