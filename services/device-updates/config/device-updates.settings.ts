import { integer, type Settings, type SettingsOf, wholeNumber } from '@sluice/config';
import { z } from 'zod';

export const deviceUpdatesSettings = z.object({
  /**
   * Processes of device-updates that share its port, where it runs on its own. One that dies is
   * restarted and gets connections once its index is loaded; `/metrics` adds them up. Ignored in
   * single-process mode.
   */
  DEVICE_WORKERS: integer(1, 1, 256),
  /**
   * With an embedded state store: while less is free on its disk, device reports get 503 with
   * `Retry-After`. Uploads, changes and update checks continue. 0 switches it off.
   * @default 1 GiB or 5%, whichever is less
   */
  MIN_FREE_DISK_BYTES: wholeNumber().optional(),
  /**
   * How long a signed manifest or channel state is valid; it is signed again at about half of that
   * ([signing](guides/signing.md)).
   */
  MANIFEST_TTL_HOURS: integer(168, 1, 8_760),
});
export type DeviceUpdatesSettings = Settings & SettingsOf<typeof deviceUpdatesSettings>;
