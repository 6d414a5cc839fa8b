import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { type DeviceState as ToldState, getDevice, type ReplyOf } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { QueryOf } from '@sluice/messaging';
import { beginningWith, readMetric } from './domain/report';
import { DeviceHashes } from './device-hashes';
import { deviceReports, idsOf } from './device-reports';
import { deviceStates, stateIdOf, type DeviceState } from './device-states';

export class GetDevice extends QueryOf(getDevice) {}

@QueryHandler(GetDevice)
export class GetDeviceHandler implements IQueryHandler<GetDevice> {
  constructor(
    private readonly state: StateStore,
    private readonly hashes: DeviceHashes,
  ) {}

  async execute({ request: { appId, deviceId } }: GetDevice): Promise<ReplyOf<typeof getDevice>> {
    let latest: DeviceState | undefined;
    let reports = 0;
    for (const device of await this.hashes.all(appId, deviceId)) {
      const state = await this.state.rows(deviceStates).get(stateIdOf(appId, device));
      if (state !== undefined && state.at > (latest?.at ?? '')) latest = state;
      reports += await this.state.rows(deviceReports).count({ id: beginningWith(idsOf(appId, device)) });
    }
    return { state: latest === undefined ? null : told(latest), reports };
  }
}

function told({ at, version = '', nativeVersion, platform, outcome }: DeviceState): ToldState {
  const last = outcome === undefined ? undefined : readMetric(outcome);
  return {
    last_seen_at: at,
    version: version === '' ? null : version,
    native_version: nativeVersion ?? null,
    platform: platform ?? null,
    last_outcome:
      last === undefined || last.report === 'active'
        ? null
        : { build_id: last.buildId, report: last.report, status: last.status },
  };
}
