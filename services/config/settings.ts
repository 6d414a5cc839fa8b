import { readSettings as readDeclared } from '@sluice/config';
import { deviceUpdatesSettings } from '../device-updates/config/device-updates.settings';
import { gatewaySettings } from '../gateway/config/gateway.settings';
import { merchantSyncSettings } from '../merchant-sync/config/merchant-sync.settings';
import { registrySettings } from '../registry/config/registry.settings';

/** What each service declares for itself. */
export const SERVICE_SETTINGS = {
  gateway: gatewaySettings,
  registry: registrySettings,
  'device-updates': deviceUpdatesSettings,
  'merchant-sync': merchantSyncSettings,
};

/**
 * Parses and checks all settings, also those of services that run in other processes: one environment
 * is often given to all of them.
 * @throws SettingsError
 */
export const readSettings = (env: Readonly<Record<string, string | undefined>>) =>
  readDeclared(env, gatewaySettings, registrySettings, deviceUpdatesSettings, merchantSyncSettings);
