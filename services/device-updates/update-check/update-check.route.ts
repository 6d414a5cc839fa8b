import type { IncomingHttpHeaders } from 'node:http';
import type { Channel } from '@sluice/contracts';
import { STANDARD_CHANNELS, ValidationError, type Version } from '@sluice/kernel';
import type { CheckCounts } from '../reports/check-counts';
import type { DeviceHashes } from '../devices/device-hashes';
import type { KeyUsage } from '../access/key-usage';
import { updateChecks } from '@sluice/telemetry';
import type { PreparedAnswer } from '../serving/prepared-answer';
import type { ServedBuild } from '../serving/served-builds';
import type { ServingIndex } from '../serving/serving-index';
import { CHANNEL_CLOSED, type UpdateAnswers } from './update-answers';
import { channelOfDevice } from '../serving/channel-of-device';
import type { DecryptingClient } from '../serving/domain/native-rules';
import { attributeValue } from '../serving/domain/attribute-value';
import type { ServingApp } from '../serving/serving.projection';
import { rememberingVersions } from '../serving/domain/remembering-versions';
import {
  ANONYMOUS,
  choose,
  nativeUpdate,
  suits,
  type Choices,
  type Device,
  type DeviceIdentity,
  type DevicePlatform,
  type NativeUpdate,
  type Selected,
} from '../serving/domain/select-build';
import {
  asUtf8,
  authenticate,
  deviceIdFault,
  deviceIdOf,
  header,
  isPlatform,
  platformFault,
  requireChannel,
  versionFault,
} from '../access/device-headers';
import type { DeviceLimits } from '../access/device-limits';

export interface UpdateCheckOptions extends DecisionOptions {
  readonly answers: UpdateAnswers;
}

export interface DecisionOptions {
  readonly index: ServingIndex;
  readonly usage: KeyUsage;
  readonly counts: CheckCounts;
  readonly limits: DeviceLimits;
  readonly hashes: DeviceHashes;
}

/**
 * Answers an update check from memory. @param requested the channel that the device names; undefined: none.
 * @throws DomainError, ValidationError in this order: 401, 403, 400, 422, 429
 */
export type UpdateCheck = (headers: IncomingHttpHeaders, requested: unknown) => PreparedAnswer;

export function updateCheck({ answers, ...options }: UpdateCheckOptions): UpdateCheck {
  const decide = decideUpdate(options);
  return (headers, requested) => {
    const { app, channel, platform, closed, selected, nativeUpdate, rollBackToEmbedded } = decide(headers, requested);
    const minimum = nativeUpdate?.minimum;
    if (closed) return CHANNEL_CLOSED;
    if (selected === undefined) return answers.nothing(app.appId, channel, platform, rollBackToEmbedded, minimum);
    return answers.offer(selected.build, selected.mandatory, platform, minimum);
  };
}

/** What a device is to do, in no protocol's words. */
export interface UpdateDecision {
  readonly app: ServingApp;
  readonly channel: Channel;
  readonly platform: DevicePlatform;
  /** The channel was removed: nothing is selected. */
  readonly closed: boolean;
  /** Undefined: nothing is newer. */
  readonly selected: Selected<ServedBuild> | undefined;
  /** Nothing is newer, and what the device runs is to be replaced by the bundle in its native app. */
  readonly rollBackToEmbedded: boolean;
  /** It would be selected if it were encrypted for the key of the client, and nothing is instead. */
  readonly ofOtherKey: ServedBuild | undefined;
  /** What a newer native app would get the device; undefined: nothing newer. */
  readonly nativeUpdate: NativeUpdate | undefined;
}

/** A client that is offered encrypted builds. */
export interface Decrypting {
  readonly client: DecryptingClient;
  /** False: it sends the id of its key, and the build is encrypted for another one. */
  readonly hasKeyOf: (build: ServedBuild) => boolean;
}

/**
 * Decides and counts an update check, as UpdateCheck does. @param shared true: the client sends no id of its device; a text: what
 * it sends in place of one, and many devices share. @param decrypting left out: the client decrypts nothing
 */
export function decideUpdate({ index, usage, counts, limits, hashes }: DecisionOptions) {
  const versionOf = rememberingVersions();
  const knownHashes = ({ appId }: ServingApp, headers: IncomingHttpHeaders) => {
    const deviceId = header(headers, 'x-device-id');
    return deviceId === undefined ? [] : hashes.known(appId, asUtf8(deviceId));
  };

  return (
    headers: IncomingHttpHeaders,
    requested: unknown,
    shared: boolean | string = false,
    decrypting?: Decrypting,
  ): UpdateDecision => {
    const { app, key } = authenticate(index, usage, headers);
    let known: readonly string[] | undefined = shared === false ? undefined : [];
    const { named, chosen } = channelOfDevice(index, app, {
      ...{ keyChannels: key.channels, requested, platform: header(headers, 'x-platform') },
      hashes: () => (known ??= knownHashes(app, headers)),
    });
    if (key.channels !== undefined) requireChannel(key, named?.channel, usage);
    const id = shared === false ? deviceIdOf(headers) : shared === true ? ANONYMOUS : shared;
    const requestedChannel = named?.channel ?? unknownChannel(index.hasAddedChannels(app.appId));
    const device = readDevice(headers, id, requestedChannel, versionOf, decrypting?.client);
    // Those that send no id of their own would count as one device.
    if (shared === false) limits.countDevice(app.appId, device.deviceId);
    // A channel that the device names has to exist also where the one that it has chosen is served.
    const channel = chosen ?? device.channel;
    const { deviceId, platform } = device;
    if (chosen === undefined && named?.closed === true) {
      updateChecks.nothing += 1;
      usage.checked(key.keyId, platform, undefined);
      const nothing = {
        selected: undefined,
        ofOtherKey: undefined,
        rollBackToEmbedded: false,
        nativeUpdate: undefined,
      };
      return { app, channel, platform, closed: true, ...nothing };
    }
    const choices = suits(platform, app.platform) ? index.builds.choices(app.appId, channel, device) : undefined;
    const identity: DeviceIdentity = {
      deviceId,
      hashes: () => (known ??= hashes.known(app.appId, deviceId)),
      attribute: (name) => readAttribute(app, headers, name),
    };
    const { selected, ofOtherKey } = chooseDecryptable(choices, identity, decrypting);
    const newerApp =
      choices === undefined || choices.nativeUpdates.length === 0
        ? undefined
        : nativeUpdate(choices, selected?.build, identity);
    usage.checked(key.keyId, platform, selected?.build.facts.version);
    counts.note(app.appId, channel, selected?.build.buildId, shared === false ? deviceId : undefined);
    if (selected === undefined) updateChecks.nothing += 1;
    else updateChecks.offered += 1;
    const rollBackToEmbedded = selected === undefined && choices?.rollBackToEmbedded === true;
    return { app, channel, platform, closed: false, selected, ofOtherKey, rollBackToEmbedded, nativeUpdate: newerApp };
  };
}

/** A recall also reaches devices that cannot decrypt the newer build. */
function chooseDecryptable(
  choices: Choices<ServedBuild> | undefined,
  device: DeviceIdentity,
  decrypting: Decrypting | undefined,
): Pick<UpdateDecision, 'selected' | 'ofOtherKey'> {
  const newest = choices && choose(choices, device);
  const isDecrypted = (build: ServedBuild) => decrypting?.hasKeyOf(build) !== false;
  if (choices === undefined || newest === undefined || isDecrypted(newest.build)) {
    return { selected: newest, ofOtherKey: undefined };
  }
  const offers = choices.offers.filter(({ build, ofRecall }) => ofRecall && isDecrypted(build));
  const selected = choose({ ...choices, offers }, device);
  return { selected, ofOtherKey: selected === undefined ? newest.build : undefined };
}

function readAttribute({ attributes }: ServingApp, headers: IncomingHttpHeaders, name: string) {
  const text = header(headers, `x-attr-${name}`);
  return attributeValue(attributes, name, text && asUtf8(text));
}

/** @throws ValidationError naming every fault */
function readDevice(
  headers: IncomingHttpHeaders,
  deviceId: string,
  channel: Channel | UnknownChannel,
  versionOf: (text: string) => Version | undefined,
  client: DecryptingClient | undefined,
): Omit<Device, 'hashes' | 'attribute'> & { readonly channel: Channel } {
  const platform = header(headers, 'x-platform');
  const currentText = header(headers, 'x-current-version');
  const currentVersion = currentText === undefined ? undefined : versionOf(currentText);
  const nativeText = header(headers, 'x-app-version');
  const nativeVersion = nativeText === undefined ? undefined : versionOf(nativeText);
  const embeddedText = header(headers, 'x-embedded-version');
  const embeddedVersion = embeddedText === undefined ? undefined : versionOf(embeddedText);
  const fingerprint = header(headers, 'x-native-fingerprint');

  const tooLong = deviceIdFault(deviceId);
  const isEmbeddedFine = embeddedText === undefined || embeddedVersion !== undefined;
  if (
    currentVersion !== undefined &&
    isPlatform(platform) &&
    typeof channel === 'string' &&
    tooLong === undefined &&
    isEmbeddedFine
  ) {
    return { deviceId, platform, currentVersion, nativeVersion, embeddedVersion, fingerprint, client, channel };
  }
  throw new ValidationError({
    ...tooLong,
    ...(currentVersion === undefined && versionFault('X-Current-Version', currentText)),
    ...(!isEmbeddedFine && versionFault('X-Embedded-Version', embeddedText)),
    ...(!isPlatform(platform) && platformFault(platform)),
    ...(typeof channel !== 'string' && channel),
  });
}

/** As in the body of the response. */
interface UnknownChannel {
  readonly channel: readonly string[];
}

function unknownChannel(hasAdded: boolean): UnknownChannel {
  const standard = `The channel must be one of ${STANDARD_CHANNELS.join(', ')}`;
  const others = ', or another channel of the app: GET /api/public/v1/apps/{app}/channels lists them';
  return { channel: [`${standard}${hasAdded ? others : ''}.`] };
}
