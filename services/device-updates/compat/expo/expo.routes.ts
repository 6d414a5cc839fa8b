import type { ErrorReply } from '@sluice/http';
import { DomainError } from '@sluice/kernel';
import type { FastifyInstance } from 'fastify';
import { sendPrepared } from '../../http/send-prepared';
import { type ExpoCheck, expoRefusal } from './expo-check';

export interface ExpoOptions {
  readonly check: ExpoCheck;
  /** Counts a rejection, and logs a fault of the server. */
  readonly refuse: (error: unknown, request: { readonly method: string; readonly url: string }) => ErrorReply;
}

/** Registers the protocol of Expo's update clients on a scope of their own, with the app key in the path: `GET /{key}`. */
export function registerExpoRoutes(plane: FastifyInstance, { check, refuse }: ExpoOptions): void {
  plane.setErrorHandler((error, request, reply) => {
    const { status, headers, body } = expoRefusal(refuse(error, request));
    return reply.code(status).headers(headers).send(body);
  });
  plane.get('/:key', async (request, reply) => {
    const { key } = request.params as { readonly key: string };
    const answer = await check(request.raw, key);
    reply.hijack();
    sendPrepared(answer, request.raw, reply.raw);
  });
  plane.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/:key',
    handler: ({ method }) => {
      throw new DomainError('METHOD_NOT_ALLOWED', `Manifests are requested with GET. Received: ${method}`);
    },
  });
}
