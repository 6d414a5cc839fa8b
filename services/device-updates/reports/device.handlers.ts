import { Inject, Injectable } from '@nestjs/common';
import {
  type Caller,
  devicePlatformSchema,
  type DeviceState as ToldState,
  forgetDevice,
  getDevice,
  getDeviceUrl,
  type KeptReport,
  listDeviceReports,
  type RequestOf,
} from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { channelName } from '@sluice/kernel';
import { GroupErasure } from '../groups/group-erasure';
import { HandlesCommand, HandlesQuery, MESSAGING, type Messaging } from '@sluice/messaging';
import { CLOCK, type Clock, PUBLIC_URL, type PublicUrl } from '@sluice/service-host';
import { DeviceHashes } from '../devices/device-hashes';
import { type ChosenChannel, chosenChannels, isInForce } from '../devices/chosen-channels';
import { devicePins, isBuildTarget } from '../devices/device-pins';
import { DEVICE_FORGOTTEN } from '../devices/followed-rows';
import { type DeviceReport, deviceReports, idsOf } from './device-reports';
import { type DeviceState, deviceStates, stateIdOf } from './device-states';
import { beginningWith, readMetric } from './domain/report';
import { errorTextId, OTHER_TEXT, ReportErrors } from './report-errors';
import { rolledBackDevices } from './rolled-back-devices';

/** The stored data of one device. */
@Injectable()
export class DeviceHandlers {
  constructor(
    private readonly state: StateStore,
    private readonly hashes: DeviceHashes,
    @Inject(GroupErasure) private readonly groups: Pick<GroupErasure, 'groupsOf' | 'erase'>,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    @Inject(MESSAGING) private readonly messaging: Pick<Messaging, 'announce'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @HandlesQuery(getDevice)
  async get({ appId, deviceId }: RequestOf<typeof getDevice>) {
    let latest: DeviceState | undefined;
    let reports = 0;
    const rolledBack = new Set<number>();
    const pins = new Map<string, number>();
    let chosen: ChosenChannel | undefined;
    const now = this.clock.now().getTime();
    const hashes = await this.hashes.all(appId, deviceId);
    for (const device of hashes) {
      const state = await this.state.rows(deviceStates).get(stateIdOf(appId, device));
      if (state !== undefined && state.at > (latest?.at ?? '')) latest = state;
      const rollbacks = await this.state.rows(rolledBackDevices).find({ where: { device } });
      for (const { buildId } of rollbacks) rolledBack.add(buildId);
      const rows = await this.state.rows(devicePins).find({ where: { device } });
      for (const { target, expiresAt } of rows) if (expiresAt > now) pins.set(target, expiresAt);
      const choice = await this.state.rows(chosenChannels).get(`${appId}/${device}`);
      if (choice !== undefined && choice.at > (chosen?.at ?? 0)) chosen = choice;
      reports += await this.state.rows(deviceReports).count({ id: beginningWith(idsOf(appId, device)) });
    }
    const pinned = [...pins].map(([target, at]) => ({ target, expires_at: new Date(at).toISOString() }));
    return {
      state: latest === undefined ? null : told(latest),
      reports,
      rolled_back: [...rolledBack],
      pins: pinned.flatMap(({ target, expires_at }) =>
        isBuildTarget(target) ? [{ build_id: Number(target), expires_at }] : [],
      ),
      channel_pins: pinned.flatMap(({ target, expires_at }) =>
        isBuildTarget(target) ? [] : [{ channel: channelName(target), expires_at }],
      ),
      groups: await this.groups.groupsOf(appId, hashes),
      chosen_channel:
        chosen === undefined || !isInForce(chosen, now)
          ? null
          : { channel: channelName(chosen.channel), expires_at: new Date(chosen.expiresAt).toISOString() },
    };
  }

  @HandlesQuery(listDeviceReports)
  async reports({ appId, deviceId, page, perPage }: RequestOf<typeof listDeviceReports>) {
    const reports = this.state.rows(deviceReports);
    const rows: DeviceReport[] = [];
    let skip = (page - 1) * perPage;
    let total = 0;
    for (const device of await this.hashes.all(appId, deviceId)) {
      const where = { id: beginningWith(idsOf(appId, device)) };
      const count = await reports.count(where);
      const limit = perPage - rows.length;
      if (skip < count && limit > 0) rows.push(...(await reports.find({ where, offset: skip, limit })));
      skip = Math.max(0, skip - count);
      total += count;
    }
    const texts = await new ReportErrors(this.state).find(rows.flatMap((row) => errorIdOf(row) ?? []));
    return { items: rows.map((row) => kept(row, texts.get(errorIdOf(row) ?? '')?.text)), total };
  }

  @HandlesCommand(forgetDevice)
  async forget({ appId, deviceId }: RequestOf<typeof forgetDevice>, caller: Caller) {
    let deleted = 0;
    const devices = await this.hashes.all(appId, deviceId);
    await this.groups.erase(appId, devices, caller);
    for (const device of devices) {
      const where = { id: beginningWith(idsOf(appId, device)) };
      deleted += await this.state.rows(deviceReports).deleteWhere(where);
      await this.state.rows(deviceStates).delete(stateIdOf(appId, device));
      await this.state.rows(rolledBackDevices).deleteWhere({ device });
      await this.state.rows(devicePins).deleteWhere({ device });
      await this.state.rows(chosenChannels).delete(`${appId}/${device}`);
    }
    this.messaging.announce(DEVICE_FORGOTTEN, { appId, devices });
    return { deleted };
  }

  /** Where devices reach this service. */
  @HandlesQuery(getDeviceUrl)
  url() {
    return { url: this.publicUrl() };
  }
}

function told({ at, version = '', nativeVersion, platform, channel, keyId, outcome }: DeviceState): ToldState {
  const last = outcome === undefined ? undefined : readMetric(outcome);
  return {
    last_seen_at: at,
    version: version === '' ? null : version,
    native_version: nativeVersion ?? null,
    platform: platform ?? null,
    channel: channel ?? null,
    api_key_id: keyId ?? null,
    last_outcome:
      last === undefined || last.report === 'active'
        ? null
        : { build_id: last.buildId, report: last.report, status: last.status },
  };
}

function errorIdOf(row: DeviceReport): string | undefined {
  return row.errorId === undefined ? undefined : errorTextId(row, row.errorId);
}

function kept(row: DeviceReport, text: string | undefined): KeptReport {
  const read = readMetric(row.metric);
  const active = read.report === 'active' ? read : undefined;
  const ended = read.report === 'active' ? undefined : read;
  return {
    id: row.id.split('/').slice(2).join('/'),
    report: read.report,
    status: ended?.status ?? null,
    build_id: ended?.buildId ?? null,
    version: active?.version ?? null,
    native_version: active?.nativeVersion ?? null,
    platform: devicePlatformSchema.safeParse(active?.platform).data ?? null,
    at: row.at,
    error: text ?? row.error ?? (row.errorId === undefined ? null : OTHER_TEXT),
    previous_version: row.previousVersion ?? null,
    inferred: row.inferred ?? false,
  };
}
