import { runProcess } from '@sluice/engines';
import { keys } from './keys.service';

void runProcess({ name: 'keys', services: [keys] });
