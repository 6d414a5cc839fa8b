import type { Clock } from '@sluice/kernel';
import type { Logger } from '@sluice/telemetry';

/** Injection token of the Clock. */
export const CLOCK = Symbol('Clock');
export type { Clock };

/**
 * Injection token of Report: the structured log of the service, for what an operator should know; with
 * the `traceparent` of the request that it happened to.
 */
export const REPORT = Symbol('Report');
export type Report = (message: string, error?: unknown, traceparent?: string) => void;

/** Injection token of Logger: the same log, for what need not be said to an operator. */
export const LOGGER = Symbol('Logger');
export type { Logger };

/** Injection token of ReplicaPositions. */
export const REPLICA_POSITIONS = Symbol('ReplicaPositions');

/** Injection token of PublicUrl: the server's address as clients see it, without a trailing slash. */
export const PUBLIC_URL = Symbol('PublicUrl');
export type PublicUrl = () => string;
