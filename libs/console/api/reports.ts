/**
 * Reports of devices are no events, so a screen that shows them polls at this interval. Together with the time for which
 * the server caches a count, a report is shown within 15 seconds.
 */
export const REPORTS_REFRESH_MS = 8_000;

/** On the release board and the overview, a report is shown within five seconds: all readers share what the server counts. */
export const HEALTH_REFRESH_MS = 2_500;
