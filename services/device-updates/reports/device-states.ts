import type { Collection, Row, StateStore } from '@sluice/document-store';
import { addDays, daysBetween, MAX_LIVE_COUNTS } from './domain/report';
import type { DevicePlatform } from '../serving/domain/select-build';

/**
 * The last reported state of a device. One row for each app and device; the id is `appId/device`. Each report
 * overwrites the members that it has; update checks write nothing.
 */
export interface DeviceState extends Row {
  readonly appId: number;
  /** UTC, of the last report. */
  readonly day: string;
  /** Of the last report, ISO 8601. */
  readonly at: string;
  /** Of its bundle, in canonical form. Empty: it rolled back to a bundle that it did not name. */
  readonly version?: string;
  readonly platform?: DevicePlatform;
  /** Of its native app, in canonical form. */
  readonly nativeVersion?: string;
  /** The build that it installed last. Rows of an earlier release have none. */
  readonly installed?: number;
  /** Its name: of the build that the device last downloaded or installed, else the only one of its API key. */
  readonly channel?: string;
  /** Of the last report. */
  readonly keyId?: number;
  /** Metric of the last download or install: `build/7/rollbacks` */
  readonly outcome?: string;
}

/** In the state store. */
export const deviceStates: Collection<DeviceState> = {
  name: 'deviceStates',
  indexes: [{ fields: ['day', 'appId', 'version', 'installed'], unordered: true }],
};

/** @param device HashedDevice.hash */
export function stateIdOf(appId: number, device: string): string {
  return `${appId}/${device}`;
}

/**
 * How many devices of an app last reported each version, from the rows of so many days up to today. Only the 5,000 most
 * frequent versions, because unauthenticated clients may invent more.
 */
export async function devicesByVersion(
  state: StateStore,
  appId: number,
  { today, days }: { readonly today: string; readonly days: number },
): Promise<ReadonlyMap<string, number>> {
  const where = { appId, day: { in: daysBetween(addDays(today, -days), today) } };
  const counted = await state.rows(deviceStates).countBy(['version'], where, MAX_LIVE_COUNTS);
  return new Map(counted.flatMap(({ version, count }) => (version ? [[version, count] as const] : [])));
}
