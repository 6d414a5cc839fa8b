/**
 * What devices report is no event: it is asked for again so often while a screen shows it. With the time for which the
 * server keeps a count, a report is shown within 15 seconds.
 */
export const REPORTS_REFRESH_MS = 8_000;
