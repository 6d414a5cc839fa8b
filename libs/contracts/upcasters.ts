import type { Upcasters } from '@sluice/event-store';

/** Of every service: each process reads streams of others too. */
export const UPCASTERS: Upcasters = {};
