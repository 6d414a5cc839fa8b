import {
  explainUpdate,
  getAdoption,
  getApiKey,
  getApp,
  getBuild,
  getBuildStats,
  getKeystore,
  getSigningKey,
  type Call,
} from '@sluice/contracts';
import { validate } from '@sluice/http';
import type { Clock } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { idOf } from '../path-id';
import { grantOf } from '../request.decorators';
import { explainQuery, readDays } from './adoption';
import { readAsOf } from './past';

type Read = FastifyRequest<{ Params: { build: string; key: string } }>;

const APP = '/api/public/v1/apps/:app';

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
  ): void => {
    fastify.get(path, async (request: Read, reply) => {
      const asked = question(grantOf(request, 'app').id, request);
      const data = await messaging.relay(call, asked, grantOf(request, 'caller'));
      return reply.type('application/json; charset=utf-8').send(`{"data":${data}}`);
    });
  };

  read(APP, getApp, (id) => ({ id }));
  read(`${APP}/builds/:build`, getBuild, (appId, { query, params }) => ({
    ...{ appId, asOf: readAsOf(query, clock), id: idOf(params.build, 'BUILD_NOT_FOUND') },
  }));
  read(`${APP}/api-keys/:key`, getApiKey, (appId, { params }) => ({ appId, id: idOf(params.key, 'KEY_NOT_FOUND') }));
  read(`${APP}/signing-key`, getSigningKey, (appId) => ({ appId }));
  read(`${APP}/keystore`, getKeystore, (appId) => ({ appId }));

  // What devices report and are offered: device-updates knows.
  read(`${APP}/adoption`, getAdoption, (appId, { query }) => ({ appId, ...readDays(query, clock) }));
  read(`${APP}/builds/:build/stats`, getBuildStats, (appId, { query, params }) => ({
    ...{ appId, ...readDays(query, clock), id: idOf(params.build, 'BUILD_NOT_FOUND') },
  }));
  read(`${APP}/explain`, explainUpdate, (appId, { query }) => {
    const { device: deviceId, app_version: appVersion, ...asked } = validate(explainQuery, query);
    return { appId, deviceId, appVersion, ...asked };
  });
}
