import type { App } from '@sluice/contracts';

/** What each dialog is given. `refresh`: shows what has changed. */
export interface DialogProps {
  readonly app: App;
  readonly open: boolean;
  readonly close: () => void;
  readonly refresh: () => void;
}
