import type { ReactNode } from 'react';
import { shared } from './shared';

export interface ShownSecret {
  readonly title: string;
  /** What it is, as in “Copy the token”. */
  readonly label: string;
  readonly secret: string;
  /** It can be looked at again later. */
  readonly again?: boolean;
  readonly note?: ReactNode;
}

/** Held outside the session, which a new owner key ends: the secret is shown above the sign-in. */
const shown = shared<ShownSecret | undefined>(undefined);

/** `undefined`: the person has copied the secret, and the page drops it. */
export const showSecret = shown.set;
export const useShownSecret = (): ShownSecret | undefined => shown.use();
