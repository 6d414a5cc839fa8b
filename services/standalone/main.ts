import type { Settings } from '@sluice/config';
import { runProcess, type ProcessOptions } from '@sluice/service-host';
import { buildPipeline } from '../build-pipeline/build-pipeline.service';
import { deviceUpdates } from '../device-updates/device-updates.service';
import { gateway } from '../gateway/gateway.service';
import { keys } from '../keys/keys.service';
import { merchantSync } from '../merchant-sync/merchant-sync.service';
import { registry } from '../registry/registry.service';
import { readSettings } from '../config/settings';
import { banner } from './banner';

/** This module, which may be loaded later. */
export interface Server {
  readonly serve: typeof serve;
}

/**
 * Runs all services in this process, until SIGTERM or SIGINT. A failed start logs the reason and exits with 1.
 * @param started called once every service is ready
 * @param defaults of settings that the environment does not set
 */
export function serve(
  started: NonNullable<ProcessOptions<Settings>['started']>,
  defaults: Readonly<Record<string, string>> = {},
): Promise<void> {
  return runProcess({
    name: 'standalone',
    readSettings: (env) => readSettings({ ...defaults, ...env }),
    // The gateway takes whatever path no other plane claims, so it comes last.
    services: [registry, keys, buildPipeline, merchantSync, deviceUpdates, gateway],
    started,
  });
}

if (require.main === module) {
  void serve((address, settings) => process.stdout.write(banner(address, settings, 'npx sluice')));
}
