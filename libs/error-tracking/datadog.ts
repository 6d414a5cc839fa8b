import { datadogRum } from '@datadog/browser-rum';
import { adapt } from './adapters/datadog.js';

/** provider_3 with its SDK. */
export const prepare = adapt(() => Promise.resolve({ datadogRum }));
