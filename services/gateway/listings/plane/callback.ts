import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

const text = z.string().max(4_096).optional();

/** The query with which Google redirects a browser back (RFC 6749, 4.1.2). If it does not fit, it names no state. */
export const callbackQuery = z.object({
  state: text.describe('The state that Sluice issued.'),
  code: text.describe('The authorization code.'),
  error: text.describe('Why access was not granted.'),
});

/** The console page that connects the shop. */
const CONSOLE_PAGE = '/console/listings-ads';

/** Whether the client is a browser. */
export function wantsPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '');
}

/** @param error the error code; omitted if the shop is connected */
export function consolePage(publicUrl: string, error?: string): string {
  return `${publicUrl}${CONSOLE_PAGE}${error === undefined ? '' : `?error=${encodeURIComponent(error)}`}`;
}

export const FORWARDING_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
} as const;

/**
 * An HTML page that brings a browser on to `address`, as an answer of 429 can not redirect it.
 * @param address has no characters that HTML escapes
 */
export function forwardingPage(address: string): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sluice</title>',
    `<meta http-equiv="refresh" content="0; url=${address}"></head>`,
    `<body><p>Too many requests. <a href="${address}">Continue to the console.</a></p></body></html>`,
  ].join('');
}
