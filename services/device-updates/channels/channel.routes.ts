import type { IncomingMessage } from 'node:http';
import { channelChoiceBody } from '@sluice/contracts';
import { requireJsonObject, validate } from '@sluice/http';
import { channelName, ValidationError } from '@sluice/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticate, deviceIdFault, deviceIdOf, requireChannel } from '../access/device-headers';
import type { DeviceLimits } from '../access/device-limits';
import type { KeyUsage } from '../access/key-usage';
import type { ChosenChannel } from '../devices/chosen-channels';
import type { DeviceHashes } from '../devices/device-hashes';
import { readJsonBodies } from '../http/json-bodies';
import type { DiskFloor } from '../reports/disk-floor';
import type { ServedKey, ServingIndex } from '../serving/serving-index';
import type { ChoiceStore } from './choice-store';

export interface ChannelRoutesOptions {
  readonly index: ServingIndex;
  readonly usage: KeyUsage;
  readonly hashes: DeviceHashes;
  readonly limits: DeviceLimits;
  readonly disk: Pick<DiskFloor, 'check'>;
  readonly choices: ChoiceStore;
}

interface Chooser {
  readonly key: ServedKey;
  /** Under which the device may be stored, the one that writes first. */
  readonly hashes: readonly string[];
}

declare module 'fastify' {
  interface FastifyRequest {
    chooser: Chooser | null;
  }
}

/**
 * Registers `POST`, `GET` and `DELETE /channel` on a scope of their own: the channel that a device chooses for itself.
 * Headers are checked before the body is read.
 */
export function registerChannelRoutes(plane: FastifyInstance, options: ChannelRoutesOptions): void {
  const { index, usage, hashes, limits, disk, choices } = options;
  plane.decorateRequest('chooser', null);
  readJsonBodies(plane);

  /** @throws DomainError, ValidationError in this order: 401, 403, 400, 422, 429 */
  const chooserOf = ({ headers }: IncomingMessage): Chooser => {
    const { app, key } = authenticate(index, usage, headers);
    const deviceId = deviceIdOf(headers);
    const tooLong = deviceIdFault(deviceId);
    if (tooLong !== undefined) throw new ValidationError(tooLong);
    limits.countDevice(app.appId, deviceId);
    return { key, hashes: hashes.known(app.appId, deviceId) };
  };
  plane.addHook('onRequest', (request, reply, next) => {
    request.chooser = chooserOf(request.raw);
    reply.header('Cache-Control', 'no-store');
    next();
  });

  plane.get('/', async (request) => {
    const { key, hashes } = requireChooser(request);
    const choice = await choices.find(key.appId, hashes);
    const isServed = choice !== undefined && index.isServedByChoice(key.appId, choice.channel, key.channels);
    return isServed ? answerOf(choice) : NO_CHOICE;
  });
  plane.post('/', async (request) => {
    const { key, hashes } = requireChooser(request);
    requireJsonObject(request.body);
    const { channel: name } = validate(channelChoiceBody, request.body);
    const channel = index.choosable(key.appId, name);
    if (key.channels !== undefined) requireChannel(key, channel, usage);
    if (channel === undefined) throw new ValidationError({ channel: [NOT_CHOOSABLE] });
    disk.check();
    return answerOf(await choices.choose(key.appId, hashes, channel));
  });
  plane.delete('/', async (request) => {
    const { key, hashes } = requireChooser(request);
    await choices.leave(key.appId, hashes);
    return NO_CHOICE;
  });
}

const NOT_CHOOSABLE = 'The channel must be one of the app that devices may choose: its self_assign is true.';
const NO_CHOICE = { channel: null, expiresAt: null };

function answerOf({ channel, expiresAt }: ChosenChannel) {
  return { channel: channelName(channel), expiresAt: new Date(expiresAt).toISOString() };
}

function requireChooser({ chooser }: FastifyRequest): Chooser {
  if (chooser === null) throw new Error('The headers of the request were not read.');
  return chooser;
}
