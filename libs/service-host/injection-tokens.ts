import type { Clock, Logger } from '@sluice/kernel';

/** Injection token of the Clock. */
export const CLOCK = Symbol('Clock');
export type { Clock };

/** Injection token of Logger: the log of the service. */
export const LOGGER = Symbol('Logger');
export type { Logger };

/** Injection token of ReplicaPositions. */
export const REPLICA_POSITIONS = Symbol('ReplicaPositions');

/** Injection token of PublicUrl: the server's address as clients see it, without a trailing slash. */
export const PUBLIC_URL = Symbol('PublicUrl');
export type PublicUrl = () => string;
