import { runProcess } from '@sluice/service-host';
import { buildPipeline } from '../build-pipeline/build-pipeline.service';
import { deviceUpdates } from '../device-updates/device-updates.service';
import { gateway } from '../gateway/gateway.service';
import { keys } from '../keys/keys.service';
import { merchantSync } from '../merchant-sync/merchant-sync.service';
import { registry } from '../registry/registry.service';
import { readSettings } from '../config/settings';
import { banner } from './banner';

// The gateway takes whatever path no other plane claims, so it comes last.
void runProcess({
  name: 'standalone',
  readSettings,
  services: [registry, keys, buildPipeline, merchantSync, deviceUpdates, gateway],
  started: (address, settings) => process.stdout.write(banner(address, settings)),
});
