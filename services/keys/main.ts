import { runProcess } from '@sluice/service-host';
import { readSettings } from '../config/settings';
import { keys } from './keys.service';

void runProcess({ name: 'keys', readSettings, services: [keys] });
