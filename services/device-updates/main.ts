import { runProcess } from '@sluice/engines';
import { deviceUpdates } from './device-updates.service';

void runProcess({
  name: 'device-updates',
  services: [deviceUpdates],
  workers: ({ deviceWorkers }) => deviceWorkers,
});
