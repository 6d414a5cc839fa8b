import {
  changeChannelPins,
  changePins,
  getChannelPins,
  getPins,
  MAX_PIN_DAYS,
  MAX_PINS_AT_ONCE,
  DEFAULT_PIN_DAYS,
  timeSchema,
} from '@sluice/contracts';
import { VALIDATION_FAILED } from '@sluice/kernel';
import { z } from 'zod';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes } from '../http/route';
import { deviceId } from './adoption';
import { AppChannels } from './app-channels';

const PATH = 'apps/:app/builds/:build/pins';
const OF_CHANNEL = 'apps/:app/channels/:channel/pins';
const ofBuild = (context: RequestContext) => ({ appId: context.app.id, id: context.id('build') });

const devices = (field: string) =>
  z
    .array(deviceId, `The ${field} must be a list of device ids.`)
    .max(MAX_PINS_AT_ONCE, `The ${field} can name at most ${MAX_PINS_AT_ONCE} devices at a time.`)
    .default([]);

const pinsBody = z.object({
  add: devices('add').describe('Devices to pin, by the IDs that they send as X-Device-ID.'),
  remove: devices('remove').describe('Devices whose pins end. One that is also in `add` is pinned.'),
  expires_at: timeSchema
    .optional()
    .describe(
      `When the added pins expire: in the future, at most ${MAX_PIN_DAYS} days from now. Default: in ${DEFAULT_PIN_DAYS} days. A device that is pinned already gets this end too.`,
    ),
});

@Routes(
  'Pins',
  'Devices that are offered a build whatever its rollout percentage, or are in the audience of a channel whatever its rules.',
)
export class PinsController {
  constructor(private readonly channels: AppChannels) {}

  @ManagementRoute('GET', PATH, {
    summary: 'Count the devices that are pinned to a build',
    description: 'They can not be listed: only keyed hashes of their IDs are stored.',
    call: getPins,
    answers: { 200: 'How many there are, and when the pins expire.' },
  })
  getPins = ofBuild;

  // Not by POST: an Idempotency-Key would keep a hash of the ids.
  @ManagementRoute('PATCH', PATH, {
    summary: 'Pin devices to a build, or remove their pins',
    description:
      'A pinned device is offered the build whatever its rollout percentage, as long as other devices could be offered it too: it is active, its rollout is enabled, and it suits the device. A newer build that the device is offered still comes first. The IDs are stored as keyed hashes; the history of the build shows how many devices were pinned, not which.',
    body: pinsBody,
    call: changePins,
    answers: { 200: 'The pins of the build.' },
    refusals: [VALIDATION_FAILED],
  })
  changePins(context: RequestContext, { add, remove, expires_at: expiresAt }: z.output<typeof pinsBody>) {
    return { ...ofBuild(context), add, remove, expiresAt };
  }

  @ManagementRoute('DELETE', PATH, {
    summary: 'Remove all pins of a build',
    call: changePins,
    answers: { 200: 'The build has no pins.' },
  })
  removePins = (context: RequestContext) => ({ ...ofBuild(context), add: [], remove: 'all' as const });

  @ManagementRoute('GET', OF_CHANNEL, {
    summary: 'Count the devices that are pinned in a channel',
    description: 'They can not be listed: only keyed hashes of their IDs are stored.',
    call: getChannelPins,
    answers: { 200: 'How many there are, and when the pins expire.' },
    refusals: ['CHANNEL_NOT_FOUND'],
  })
  getChannelPins = (context: RequestContext) => this.channels.ofPath(context);

  @ManagementRoute('PATCH', OF_CHANNEL, {
    summary: 'Pin devices in a channel, or remove their pins',
    description:
      'A device that is pinned in a channel is in the audience of the channel whatever its rules. Without an audience, every device is. The IDs are stored as keyed hashes; the history shows how many devices were pinned, not which.',
    body: pinsBody,
    call: changeChannelPins,
    answers: { 200: 'The pins of the channel.' },
    refusals: [VALIDATION_FAILED],
  })
  async changeChannelPins(context: RequestContext, { expires_at: expiresAt, ...change }: z.output<typeof pinsBody>) {
    return { ...(await this.channels.ofPath(context)), ...change, expiresAt };
  }

  @ManagementRoute('DELETE', OF_CHANNEL, {
    summary: 'Remove all pins of a channel',
    call: changeChannelPins,
    answers: { 200: 'The channel has no pins.' },
  })
  async removeChannelPins(context: RequestContext) {
    return { ...(await this.channels.ofPath(context)), add: [], remove: 'all' as const };
  }
}
