import type { ReactNode } from 'react';
import { shared } from './shared';

export interface ShownSecret {
  readonly title: string;
  /** Names the secret, as in “Copy the token”. */
  readonly label: string;
  readonly secret: string;
  /** It can be shown again later. */
  readonly recoverable?: boolean;
  readonly note?: ReactNode;
}

/** Stored outside the session, which a new owner key ends. The secret is then shown above the sign-in. */
const shown = shared<ShownSecret | undefined>(undefined);

/** `undefined`: the person has copied the secret, and the page forgets it. */
export const showSecret = shown.set;
export const useShownSecret = (): ShownSecret | undefined => shown.use();
