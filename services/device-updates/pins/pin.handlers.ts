import { Inject, Injectable } from '@nestjs/common';
import {
  type Caller,
  changeChannelPins,
  changePins,
  type ChannelPins,
  countDeviceFacts,
  DEFAULT_PIN_DAYS,
  getChannelPins,
  getPins,
  MAX_PIN_DAYS,
  type PinChange,
  type Pins,
  type PinWarning,
  recordChannelPins,
  recordPins,
  type ReplyOf,
  type RequestOf,
} from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { channelName, type Clock, DomainError, parseVersion, UnavailableError, ValidationError } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery, MESSAGING, type Messaging } from '@sluice/messaging';
import { CLOCK } from '@sluice/service-host';
import { chosenChannels } from '../devices/chosen-channels';
import { DeviceHashes } from '../devices/device-hashes';
import { deviceStates, stateIdOf } from '../reports/device-states';
import { isForEveryDevice } from '../serving/domain/select-build';
import { ServingIndex } from '../serving/serving-index';
import type { ServedBuild } from '../serving/served-builds';
import { PinStore, type PinTarget, type ValidPins } from './pin-store';

/** In memory, a pin takes about 100 bytes. */
export const MAX_PINS = { ofApp: 100_000, ofAll: 500_000 };
const DAY_MS = 86_400_000;

/** A device as the request names it, under each hash that it may be stored under: the one that writes first. */
interface NamedDevice {
  readonly deviceId: string;
  readonly hashes: readonly string[];
}

type Change = Pick<RequestOf<typeof changePins>, 'add' | 'remove' | 'expiresAt'>;

/** Which devices get a build whatever its percentage, and which are in the audience of a channel whatever its rules. */
@Injectable()
export class PinHandlers {
  constructor(
    private readonly pins: PinStore,
    private readonly hashes: DeviceHashes,
    private readonly index: ServingIndex,
    private readonly state: StateStore,
    @Inject(MESSAGING) private readonly messaging: Pick<Messaging, 'request'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @HandlesQuery(getPins)
  async get({ appId, id }: RequestOf<typeof getPins>): Promise<Pins> {
    this.buildOf(appId, id);
    return { build_id: id, ...(await this.validOf(targetOf(appId, id))) };
  }

  @HandlesCommand(changePins)
  async change(request: RequestOf<typeof changePins>, caller: Caller): Promise<ReplyOf<typeof changePins>> {
    const { appId, id, ...change } = request;
    const build = this.buildOf(appId, id);
    const added = await this.apply(targetOf(appId, id), change, (recorded) =>
      this.messaging.request(recordPins, { appId, id, ...recorded }, withoutBody(caller)),
    );
    const warnings = added.length === 0 ? [] : await this.warningsOf(build, added);
    return { build_id: id, ...(await this.validOf(targetOf(appId, id))), warnings };
  }

  @HandlesQuery(getChannelPins)
  async getOfChannel({ appId, channel }: RequestOf<typeof getChannelPins>): Promise<ChannelPins> {
    return { channel: channelName(channel), ...(await this.validOf({ appId, target: channel })) };
  }

  @HandlesCommand(changeChannelPins)
  async changeOfChannel(request: RequestOf<typeof changeChannelPins>, caller: Caller) {
    const { appId, channel, ...change } = request;
    const added = await this.apply({ appId, target: channel }, change, (recorded) =>
      this.messaging.request(recordChannelPins, { appId, channel, ...recorded }, withoutBody(caller)),
    );
    const { builds, ready } = this.index;
    const isWithoutEffect = added.length > 0 && ready && builds.audienceOf(appId, channel) === undefined;
    const message = `The channel ${channelName(channel)} has no audience: every device is offered its builds.`;
    const warnings = isWithoutEffect ? [warning(null, 'no_audience', message)] : [];
    return { ...(await this.getOfChannel({ appId, channel })), warnings };
  }

  /**
   * The history gets the change first: a crash in between leaves an entry without effect, never an effect without an
   * entry. Answers the devices that were added.
   */
  private async apply(
    target: PinTarget,
    request: Change,
    record: (change: PinChange) => Promise<unknown>,
  ): Promise<readonly NamedDevice[]> {
    const { appId } = target;
    const now = this.clock.now().getTime();
    const expiresAt = endOf(request.expiresAt, now);
    const added = await this.named(appId, request.add);
    const removing = request.remove === 'all' ? [] : request.remove.filter((id) => !request.add.includes(id));
    const removed = await this.named(appId, removing);

    const before = await this.pins.of(target, now);
    const known = await this.pins.find(
      target,
      [...added, ...removed].flatMap(({ hashes }) => hashes),
    );
    const valid = new Map(known.filter((pin) => pin.expiresAt > now).map((pin) => [pin.device, pin]));
    const isPinned = ({ hashes }: NamedDevice) => hashes.some((hash) => valid.has(hash));
    const further = added.filter((device) => !isPinned(device)).length;
    const fewer = request.remove === 'all' ? before.devices : removed.filter(isPinned).length;
    const stored = new Set(known.map(({ device }) => device));
    await this.refuseTooMany(appId, added.filter(({ hashes }) => !hashes.some((hash) => stored.has(hash))).length);

    if (added.length + fewer > 0) {
      const devices = before.devices + further - fewer;
      const last = Math.max(request.remove === 'all' ? 0 : (before.last ?? 0), added.length > 0 ? expiresAt : 0);
      const until = devices === 0 ? null : new Date(last).toISOString();
      await record({ added: added.length, removed: fewer, devices, until });
    }
    if (request.remove === 'all') await this.pins.end(target, now);
    const ended = [...removed, ...added].flatMap(({ hashes }) => hashes.flatMap((hash) => valid.get(hash) ?? []));
    const written = added.map(({ hashes: [device = ''] }) => ({ ...target, device, expiresAt, at: now }));
    const replaced = new Set(written.map(({ device }) => device));
    await this.pins.put([
      ...ended.filter(({ device }) => !replaced.has(device)).map((pin) => ({ ...pin, expiresAt: now, at: now })),
      ...written,
    ]);
    return added;
  }

  /** What a rotation of the key of the hashes ends. */
  @HandlesQuery(countDeviceFacts)
  async count({ after }: RequestOf<typeof countDeviceFacts>): Promise<ReplyOf<typeof countDeviceFacts>> {
    const at = Date.parse(after);
    const [pins, chosen_channels] = await Promise.all([
      this.pins.rows.count({ expiresAt: { gt: at } }),
      this.state.rows(chosenChannels).count({ expiresAt: { gt: at } }),
    ]);
    return { pins, groups: this.index.builds.groups.count, chosen_channels };
  }

  /** @throws DomainError BUILD_NOT_FOUND; UnavailableError */
  private buildOf(appId: number, buildId: number): ServedBuild {
    if (!this.index.ready) throw new UnavailableError('The device API is starting. Try again shortly.');
    const build = this.index.builds.find(buildId);
    if (build?.facts.appId === appId) return build;
    throw new DomainError('BUILD_NOT_FOUND', `There is no build ${buildId}.`);
  }

  private async validOf(target: PinTarget) {
    return inWords(await this.pins.of(target, this.clock.now().getTime()));
  }

  private named(appId: number, deviceIds: readonly string[]): Promise<NamedDevice[]> {
    return Promise.all(
      [...new Set(deviceIds)].map(async (deviceId) => ({ deviceId, hashes: await this.hashes.all(appId, deviceId) })),
    );
  }

  /** Of two requests at the same moment, both may pass. */
  private async refuseTooMany(appId: number, more: number): Promise<void> {
    if (more <= 0) return;
    const [ofApp, ofAll] = await Promise.all([this.pins.size(appId), this.pins.size()]);
    if (ofApp + more <= MAX_PINS.ofApp && ofAll + more <= MAX_PINS.ofAll) return;
    const [whose, limit] = ofApp + more > MAX_PINS.ofApp ? ['An app', MAX_PINS.ofApp] : ['All apps', MAX_PINS.ofAll];
    throw new DomainError(
      'PIN_LIMIT_REACHED',
      `${whose} can have ${limit} pinned devices. Remove pins, or use a rollout percentage.`,
      { limit },
    );
  }

  private async warningsOf(build: ServedBuild, devices: readonly NamedDevice[]): Promise<PinWarning[]> {
    const { appId, version } = build.facts;
    const { buildId } = build;
    const states = this.state.rows(deviceStates);
    const ids = devices.flatMap(({ hashes }) => hashes.map((hash) => stateIdOf(appId, hash)));
    const found = new Map((await states.find({ where: { id: { in: ids } } })).map((state) => [state.id, state]));
    const ofDevices = devices.flatMap(({ deviceId, hashes }): PinWarning[] => {
      const running = hashes.flatMap((hash) => found.get(stateIdOf(appId, hash))?.version ?? [])[0];
      const current = running === undefined ? undefined : parseVersion(running);
      const isNewer = current === undefined || build.version.compare(current) > 0;
      return [
        ...(isNewer
          ? []
          : [warning(deviceId, 'not_newer', `The device last reported ${running}, which is not below ${version}.`)]),
        ...(hashes.some((hash) => build.rolledBack?.has(hash) === true)
          ? [
              warning(
                deviceId,
                'rolled_back',
                `The device rolled build ${buildId} back. It is offered it after a retry.`,
              ),
            ]
          : []),
      ];
    });
    return [...this.warningsOfBuild(build), ...ofDevices];
  }

  private warningsOfBuild(build: ServedBuild): PinWarning[] {
    const { appId, channel } = build.facts;
    if (!build.active || !build.rolloutEnabled || build.isRecalled) {
      const why = build.isRecalled ? 'recalled' : build.active ? 'halted' : build.facts.status;
      return [warning(null, 'not_offered', `Build ${build.buildId} is ${why}: no device is offered it.`)];
    }
    if (this.index.builds.audienceOf(appId, channel) !== undefined) return [];
    const newer = this.index.builds
      .active(appId, channel)
      .find((other) => !other.isRepublished && other.version.compare(build.version) > 0 && isForEveryDevice(other));
    if (newer === undefined) return [];
    const message = `Build ${newer.buildId} (${newer.facts.version}) is newer and offered to every device.`;
    return [warning(null, 'newer_offered', message)];
  }
}

function warning(device_id: string | null, kind: PinWarning['warning'], message: string): PinWarning {
  return { device_id, warning: kind, message };
}

/** @throws ValidationError */
function endOf(expiresAt: string | undefined, now: number): number {
  const end = expiresAt === undefined ? now + DEFAULT_PIN_DAYS * DAY_MS : Date.parse(expiresAt);
  if (end > now && end <= now + MAX_PIN_DAYS * DAY_MS) return end;
  throw new ValidationError({
    expires_at: [
      `The expires_at must be in the future, at most ${MAX_PIN_DAYS} days from now. Received: ${expiresAt}.`,
    ],
  });
}

/** Events hold no hash of a body that names devices. */
function withoutBody({ actor, commandId, traceparent }: Caller): Caller {
  return { actor, commandId, ...(traceparent !== undefined && { traceparent }) };
}

function targetOf(appId: number, buildId: number): PinTarget {
  return { appId, target: String(buildId) };
}

function inWords({ devices, first, last }: ValidPins): Omit<Pins, 'build_id'> {
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return { devices, first_expires_at: time(first), last_expires_at: time(last) };
}
