import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ArgumentsHost } from '@nestjs/common';
import Fastify, { type FastifyInstance } from 'fastify';
import { eventually, recordingLogger } from '@sluice/testing';
import { EnvelopeFilter } from './envelope.filter';

describe('the filter of whatever is thrown', () => {
  const logger = recordingLogger();
  const opened: Readable[] = [];
  let server: FastifyInstance;
  let caught = 0;

  beforeAll(async () => {
    const filter = new EnvelopeFilter(logger);
    server = Fastify();
    server.setErrorHandler((error, asked, reply) => {
      const http = { getRequest: () => asked, getResponse: () => reply };
      filter.catch(error, { switchToHttp: () => http } as unknown as ArgumentsHost);
      caught += 1;
    });
    server.post('/file', (_, reply) => {
      const file = new Readable({ read: () => undefined });
      opened.push(file);
      return reply.send(file);
    });
    server.post('/fault', () => {
      throw new Error('a fault of ours');
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.close());

  const post = (path: string) => {
    const { port } = server.server.address() as AddressInfo;
    const headers = { 'Content-Type': 'application/json' };
    return request({ port, path, method: 'POST', headers, agent: false }).end('{}');
  };

  it('takes a client that leaves before the first byte of a file for no fault of the server', async () => {
    const outgoing = post('/file').on('error', () => undefined);
    await eventually(() => opened.length !== 0);
    outgoing.destroy();
    await eventually(() => caught !== 0);
    expect(logger.messages).toEqual([]);
  });

  it('reports a fault of the server', async () => {
    const [response] = await once(post('/fault'), 'response');
    expect((response as { statusCode: number }).statusCode).toBe(500);
    expect(logger.messages).toEqual([expect.stringMatching(/^POST \/fault failed: /)]);
  });
});
