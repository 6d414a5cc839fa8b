import type { RequestListener } from 'node:http';
import type { Settings } from '@sluice/config';
import { errorReply, UNCACHED } from '@sluice/http';
import { UnavailableError } from '@sluice/kernel';
import type { HttpPlane } from './service';

/** Rejects requests with 503, in the plane's envelope, until the plane has started. */
export function answerStarting(
  { refusal = (_request, error) => errorReply(error) }: Pick<HttpPlane, 'refusal'>,
  settings: Settings,
): RequestListener {
  const starting = new UnavailableError('The server is starting. Try again shortly.');
  return (request, response) => {
    const { status, headers, body } = refusal(request, starting, settings);
    response.writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      ...UNCACHED,
      ...headers,
    });
    response.end(JSON.stringify(body));
  };
}
