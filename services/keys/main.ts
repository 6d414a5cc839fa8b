import { runProcess } from '@sluice/service-host';
import { keys } from './keys.service';

void runProcess({ name: 'keys', services: [keys] });
