import type { App } from '@sluice/contracts';
import type { DialogState } from '../../../parts/dialog';

/** What each dialog is given. `refresh`: shows what has changed. */
export interface DialogProps extends DialogState {
  readonly app: App;
  readonly refresh: () => void;
}
