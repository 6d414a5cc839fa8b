import { secret, type Settings, type SettingsOf } from '@sluice/config';
import { z } from 'zod';

export const registrySettings = z.object({
  /**
   * The first owner’s key. Required with an event store that is not embedded.
   * @default the content of `DATA_DIR/owner.key`, created at the first start
   */
  OWNER_KEY: secret(z.string().optional()),
});
export type RegistrySettings = Settings & SettingsOf<typeof registrySettings>;
