import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What everything over HTTP is compared with: bare `node:http` that answers bodies in turn that
 * were made beforehand, after it has read and parsed the body of a POST. Reads BARE_ANSWERS and prints its port.
 */
export interface BareAnswer {
  /** Names and values in turn, without those that Node adds by itself. */
  readonly headers: readonly string[];
  readonly body: string;
}

const answers = JSON.parse(process.env['BARE_ANSWERS'] ?? '[]') as readonly BareAnswer[];
let turn = 0;

const server = createServer({ keepAliveTimeout: 72_000, requestTimeout: 0 }, (request, response) => {
  const answer = () => {
    const { headers, body } = answers[turn++ % answers.length]!;
    response.writeHead(200, headers as string[]).end(body, 'latin1');
  };
  if (request.method !== 'POST') {
    answer();
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    JSON.parse(Buffer.concat(parts).toString());
    answer();
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
