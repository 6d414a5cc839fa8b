import type { RequestListener } from 'node:http';
import { errorReply } from '@sluice/http';
import { UnavailableError } from '@sluice/kernel';
import type { HttpPlane } from './service';

/** Answers whatever comes before the plane has started: 503 in the plane's envelope. */
export function answerStarting({
  refusal = (_url, error) => errorReply(error),
}: Pick<HttpPlane, 'refusal'>): RequestListener {
  const starting = new UnavailableError('The server is starting. Try again shortly.');
  return ({ url = '/' }, response) => {
    const { status, headers, body } = refusal(url, starting);
    response.writeHead(status, { ...headers, 'Content-Type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(body));
  };
}
