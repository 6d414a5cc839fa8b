import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import { countGate, type GateCounts, type RequestOf } from '@sluice/contracts';
import { StateStore, type Where } from '@sluice/document-store';
import type { Clock } from '@sluice/kernel';
import { HandlesQuery } from '@sluice/messaging';
import { CLOCK } from '@sluice/service-host';
import { type DeviceReport, deviceReports, reportsOfDevices } from './device-reports';
import { countFairly, type OfAddress } from './domain/fair-count';
import { addDays, buildMetric, dayOf, daysBetween, MAX_LIVE_COUNTS } from './domain/report';

/** So many failures are counted device by device, and so many downloads are looked at: enough for any verdict. */
const SAMPLE = 10_000;
const FAILURES = ['install_failures', 'rollbacks'] as const;
const NOBODY: OfAddress = { finished: 0, failed: 0 };
const MINUTE_MS = 60_000;

type Address = DeviceReport['address'];

/** Counts what devices reported of a build, for the gate of its rollout plan. */
@Injectable()
export class GateHandlers {
  constructor(
    private readonly state: StateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'reportRetentionDays'>,
  ) {}

  @HandlesQuery(countGate)
  async count({ appId, buildId, silenceAfterMinutes }: RequestOf<typeof countGate>): Promise<GateCounts> {
    const [fair, silence] = await Promise.all([
      this.ended(appId, buildId),
      silenceAfterMinutes === undefined
        ? { downloaded: 0, silent: 0 }
        : this.silence(appId, buildId, silenceAfterMinutes),
    ]);
    return { ...fair, ...silence };
  }

  private async ended(appId: number, buildId: number) {
    const rows = this.state.rows(deviceReports);
    const installs = buildMetric(buildId, 'installs');
    const where = { ...this.where(appId), metric: { in: [installs] } };
    const failed = { ...where, metric: { in: FAILURES.map((outcome) => buildMetric(buildId, outcome)) } };
    const [installed, failures] = await Promise.all([this.byAddress(where), rows.count(failed)]);
    const { counted, others } = installed;
    const add = (address: Address, more: OfAddress): void => {
      const of = counted.get(address) ?? NOBODY;
      counted.set(address, { finished: of.finished + more.finished, failed: of.failed + more.failed });
    };
    if (failures > SAMPLE) {
      // So many before a plan stops are forged. A device counts once for each thing that it reported.
      const more = await this.byAddress(failed);
      for (const [address, { finished: count }] of more.counted) add(address, { finished: count, failed: count });
      const rest = { finished: others + more.others, failed: more.others };
      return countFairly([...counted.values()], rest);
    }
    // Every device once: it failed if it ever reported that it failed or rolled back.
    const devices = await rows.countBy(['device', 'address'], failed, SAMPLE);
    const addressOf = new Map(devices.map(({ device, address }) => [device, address ?? undefined]));
    let finished = others;
    for (const { address } of await this.existing(appId, installs, [...addressOf.keys()])) {
      if (counted.has(address)) add(address, { finished: -1, failed: 0 });
      else finished = Math.max(0, finished - 1);
    }
    for (const address of addressOf.values()) add(address, { finished: 1, failed: 1 });
    return countFairly([...counted.values()], { finished, failed: 0 });
  }

  /** Rows of the addresses that have the most, as devices that succeeded; and those of all others together. */
  private async byAddress(where: Where<DeviceReport>) {
    const rows = this.state.rows(deviceReports);
    const [all, found] = await Promise.all([rows.count(where), rows.countBy(['address'], where, MAX_LIVE_COUNTS)]);
    const counted = new Map<Address, OfAddress>();
    for (const { address, count } of found) counted.set(address ?? undefined, { finished: count, failed: 0 });
    return { counted, others: Math.max(0, all - found.reduce((sum, { count }) => sum + count, 0)) };
  }

  /** Of the downloads that are old enough, a sample; and how many of those devices reported no installation. */
  private async silence(appId: number, buildId: number, afterMinutes: number) {
    const until = new Date(this.clock.now().getTime() - afterMinutes * MINUTE_MS).toISOString();
    const where = { ...this.where(appId), metric: buildMetric(buildId, 'downloads'), at: { lte: until } };
    const downloads = await this.state.rows(deviceReports).countBy(['device'], where, SAMPLE);
    const devices = downloads.map(({ device }) => device);
    const heard = new Set<string>();
    for (const outcome of ['installs', ...FAILURES] as const) {
      for (const { device } of await this.existing(appId, buildMetric(buildId, outcome), devices)) heard.add(device);
    }
    return { downloaded: devices.length, silent: devices.length - heard.size };
  }

  private existing(appId: number, metric: string, devices: readonly string[]): Promise<DeviceReport[]> {
    return reportsOfDevices(this.state, appId, metric, devices);
  }

  private where(appId: number) {
    const today = dayOf(this.clock.now());
    // The clock of another replica may be in the next day.
    return { appId, day: { in: daysBetween(addDays(today, -this.settings.reportRetentionDays), addDays(today, 1)) } };
  }
}
