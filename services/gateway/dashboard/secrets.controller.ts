import { Inject } from '@nestjs/common';
import { listDataKeys, resealSecrets, rotateDataKeys } from '@sluice/contracts';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { z } from 'zod';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes, asSent, noRequest } from '../http/route';
import { Sessions } from '../access/sessions';
import { rotateDataKeysBody } from './schemas';

const rotateAnswer = rotateDataKeys.reply.extend({ ended_sessions: z.int().min(0) });

@Routes('Secrets', 'Sealed secrets of the installation, for the operator alone.')
export class SecretsController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly sessions: Sessions,
  ) {}

  /** One part; the body's `after` is the `next` of the part before. */
  @DashboardRoute('POST', 'secrets/reseal', {
    operator: true,
    summary: 'Seal one part of the secrets again, under the current master key',
    body: resealSecrets.request,
    call: resealSecrets,
    answers: { 200: 'What was done, and where the next part begins.' },
  })
  resealSecrets = asSent;

  @DashboardRoute('GET', 'secrets/data-keys', {
    operator: true,
    summary: 'Versions of the data keys, and what a rotation changes',
    call: listDataKeys,
    answers: { 200: 'Each data key, its versions newest first.' },
  })
  listDataKeys = noRequest;

  @DashboardRoute('POST', 'secrets/data-keys/rotate', {
    operator: true,
    summary: 'Make a new version of the data keys named, or of all',
    body: rotateDataKeysBody,
    answers: {
      200: one(
        rotateAnswer,
        'The data keys that were rotated. With `end_sessions`, how many sessions of owners were ended.',
      ),
    },
    refusals: ['TOO_MANY_DATA_KEY_VERSIONS'],
  })
  async rotateDataKeys({ caller }: RequestContext, body: z.output<typeof rotateDataKeysBody>) {
    const { end_sessions: endSessions, ...request } = body;
    const { keys } = await this.messaging.request(rotateDataKeys, request, caller);
    // After the rotation: sessions that begin meanwhile with the former version end as well.
    return { keys, ended_sessions: endSessions ? await this.sessions.endAll() : 0 };
  }
}
