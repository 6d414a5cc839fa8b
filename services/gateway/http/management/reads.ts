import {
  explainUpdate,
  getAdoption,
  getApiKey,
  getApp,
  getBuild,
  getBuildStats,
  getKeystore,
  getSigningKey,
  previewRetention,
  type Call,
} from '@sluice/contracts';
import { validate } from '@sluice/http';
import type { Clock } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { forTokensAndOwners } from '../access-policy';
import { idOf } from '../path-id';
import { grantOf } from '../request.decorators';
import { explainQuery, readDays } from './adoption';
import { etagOf } from './if-match';
import { readAsOf } from './past';
import { retentionQuery } from './schemas';

type Read = FastifyRequest<{ Params: { build: string; key: string } }>;

/**
 * What is read of one app with one question to one service. Scripts that poll ask these most often, so
 * they are Fastify's own routes and hand the service's reply on as it was written: Nest's router, and a
 * reply that is parsed to be written anew, would be a quarter of the processor time.
 */
export function serveReads(
  fastify: FastifyInstance,
  { messaging, clock }: { readonly messaging: Messaging; readonly clock: Clock },
): void {
  const read = <Request extends z.ZodType>(
    path: string,
    call: Call<Request>,
    question: (appId: number, request: Read) => z.input<Request>,
    headersOf: (data: string) => Readonly<Record<string, string>> = () => ({}),
  ): void => {
    const answer = async (request: Read, reply: FastifyReply): Promise<FastifyReply> => {
      const asked = question(grantOf(request, 'app').id, request);
      const data = await messaging.relay(call, asked, grantOf(request, 'caller'));
      return reply.headers(headersOf(data)).type('application/json; charset=utf-8').send(`{"data":${data}}`);
    };
    for (const route of forTokensAndOwners(`apps/:app${path}`)) fastify.get(route, answer);
  };

  read('', getApp, (id) => ({ id }));
  read(
    '/builds/:build',
    getBuild,
    (appId, { query, params }) => ({
      ...{ appId, asOf: readAsOf(query, clock), id: idOf(params.build, 'BUILD_NOT_FOUND') },
    }),
    (data) => ({ ETag: etagOf(revisionIn(data)) }),
  );
  read('/api-keys/:key', getApiKey, (appId, { params }) => ({ appId, id: idOf(params.key, 'KEY_NOT_FOUND') }));
  read('/signing-key', getSigningKey, (appId) => ({ appId }));
  read('/keystore', getKeystore, (appId) => ({ appId }));
  read('/retention', previewRetention, (appId, request) => ({
    ...{ appId, keepBuilds: validate(retentionQuery, request.query).keep_builds ?? grantOf(request, 'app').keepBuilds },
  }));

  // What devices report and are offered: device-updates knows.
  read('/adoption', getAdoption, (appId, { query }) => ({ appId, ...readDays(query, clock) }));
  read('/builds/:build/stats', getBuildStats, (appId, { query, params }) => ({
    ...{ appId, ...readDays(query, clock), id: idOf(params.build, 'BUILD_NOT_FOUND') },
  }));
  read('/explain', explainUpdate, (appId, { query }) => {
    const { device: deviceId, app_version: appVersion, ...asked } = validate(explainQuery, query);
    return { appId, deviceId, appVersion, ...asked };
  });
}

/** Of a build's JSON. Within a text its quotes are escaped, so that a text can't be taken for it. */
function revisionIn(build: string): number {
  return Number(/"revision":(\d+)/.exec(build)?.[1]);
}
