import { runProcess } from '@sluice/service-host';
import { deviceUpdates } from './device-updates.service';

void runProcess({
  name: 'device-updates',
  services: [deviceUpdates],
  workers: ({ deviceWorkers }) => deviceWorkers,
});
