import { runProcess } from '@sluice/service-host';
import { readSettings } from '../config/settings';
import { deviceUpdates } from './device-updates.service';

void runProcess({
  name: 'device-updates',
  readSettings,
  services: [deviceUpdates],
  workers: ({ deviceWorkers }) => deviceWorkers,
});
