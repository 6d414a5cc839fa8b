import { datadogRum } from '@datadog/browser-rum';
import type { PrepareAdapter } from './tracker/adapter.js';
import { adapt } from './adapters/datadog.js';

/** provider_3 with its SDK. */
export const prepare: PrepareAdapter<'provider_3'> = adapt(() => Promise.resolve({ datadogRum }));
