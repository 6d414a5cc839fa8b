import { Inject } from '@nestjs/common';
import { countDeviceFacts, listDataKeys, resealSecrets, rotateDataKeys } from '@sluice/contracts';
import { type Clock, unlessUnavailable } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { CLOCK } from '@sluice/service-host';
import { z } from 'zod';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes, asSent } from '../http/route';
import { Sessions } from '../access/sessions';
import { rotateDataKeysBody } from './schemas';

const listAnswer = listDataKeys.reply.extend({
  ended_by_rotation: countDeviceFacts.reply.nullable().meta({
    description:
      'What a rotation of `device-id` ends when its former version is deleted: how many pins and chosen channels of devices that expire later, and how many device groups, whose files have to be uploaded again before. Null: device-updates is unavailable.',
  }),
});
const rotateAnswer = rotateDataKeys.reply.extend({ ended_sessions: z.int().min(0) });

@Routes('Secrets', 'Encrypted secrets of the installation, for the operator only.')
export class SecretsController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly sessions: Sessions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Handles one batch; send the `next` of its response as `after` of the next request. */
  @DashboardRoute('POST', 'secrets/reseal', {
    operator: true,
    summary: 'Encrypt one batch of secrets again with the current master key',
    body: resealSecrets.request,
    call: resealSecrets,
    answers: { 200: 'What was done, and where the next batch begins.' },
  })
  resealSecrets = asSent;

  @DashboardRoute('GET', 'secrets/data-keys', {
    operator: true,
    summary: 'List the data keys, their versions and what a rotation changes',
    answers: { 200: one(listAnswer, 'Each data key, its versions newest first.') },
  })
  async listDataKeys({ caller }: RequestContext) {
    const { keys } = await this.messaging.request(listDataKeys, {}, caller);
    const kept = keys.find(({ name }) => name === 'device-id')?.former_kept_seconds ?? 0;
    const after = new Date(this.clock.now().getTime() + kept * 1_000).toISOString();
    const counted = await unlessUnavailable(this.messaging.request(countDeviceFacts, { after }, caller));
    return { keys, ended_by_rotation: counted ?? null };
  }

  @DashboardRoute('POST', 'secrets/data-keys/rotate', {
    operator: true,
    summary: 'Rotate the named data keys, or all of them',
    body: rotateDataKeysBody,
    answers: {
      200: one(
        rotateAnswer,
        'The data keys that were rotated. With `end_sessions`, also the number of ended sessions.',
      ),
    },
    refusals: ['TOO_MANY_DATA_KEY_VERSIONS'],
  })
  async rotateDataKeys({ caller }: RequestContext, body: z.output<typeof rotateDataKeysBody>) {
    const { end_sessions: endSessions, ...request } = body;
    const { keys } = await this.messaging.request(rotateDataKeys, request, caller);
    // After the rotation, so that sessions that began with the former version in the meantime end as well.
    return { keys, ended_sessions: endSessions ? await this.sessions.endAll() : 0 };
  }
}
