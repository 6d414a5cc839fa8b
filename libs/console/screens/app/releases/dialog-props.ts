import type { App } from '@sluice/contracts';
import type { DialogState } from '../../../parts/dialog';

/** The properties of each dialog. `refresh`: reloads what a change affects. */
export interface DialogProps extends DialogState {
  readonly app: App;
  readonly refresh: () => void;
}
