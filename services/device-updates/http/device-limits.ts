import type { IncomingMessage } from 'node:http';
import type { Settings } from '@sluice/config';
import { clientAddress, type ClientAddress } from '@sluice/http';
import { DomainError, systemClock } from '@sluice/kernel';
import { FixedWindows } from '../application/fixed-windows';

export interface DeviceLimitsOptions {
  /** Requests a minute of one device of an app. */
  readonly perDevice: number;
  /** Requests a minute of one address. */
  readonly perAddress: number;
  /** Networks whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly string[];
  /** Milliseconds that never go back. */
  readonly now: () => number;
}

const MINUTE_MS = 60_000;
/** 4 MiB. Exact for some 50,000 devices a minute; of more, those that ask most are counted on. */
const DEVICES = 2 ** 18;
/** 1 MiB. */
const ADDRESSES = 2 ** 16;

/**
 * The limits of the device plane (spec 4, 429): per process, in memory of a fixed size. Every request
 * counts, also one that is refused.
 */
export class DeviceLimits {
  private readonly addressOf: ClientAddress;
  private readonly addresses: FixedWindows;
  private readonly devices: FixedWindows;

  constructor({ perDevice, perAddress, trustedProxies, now }: DeviceLimitsOptions) {
    this.addressOf = clientAddress(trustedProxies);
    this.addresses = new FixedWindows({ limit: perAddress, windowMs: MINUTE_MS, subjects: ADDRESSES, now });
    this.devices = new FixedWindows({ limit: perDevice, windowMs: MINUTE_MS, subjects: DEVICES, now });
  }

  /** Counts a request against its address: before all else. @throws DomainError RATE_LIMITED */
  countAddress(request: Pick<IncomingMessage, 'headers' | 'socket'>): void {
    const waitMs = this.addresses.use(this.addressOf(request));
    if (waitMs > 0) throw rateLimited(waitMs);
  }

  /**
   * Counts a request against the device that it names: once its headers and its query are right, and
   * before its body is read.
   * @throws DomainError RATE_LIMITED
   */
  countDevice(appId: number, deviceId: string): void {
    const waitMs = this.devices.use(deviceId, appId);
    if (waitMs > 0) throw rateLimited(waitMs);
  }
}

const bySettings = new WeakMap<Settings, DeviceLimits>();

/** Those of the process that was started with these settings: they hold before its plane has started, too. */
export function deviceLimitsOf(settings: Settings): DeviceLimits {
  const made = bySettings.get(settings);
  if (made !== undefined) return made;
  const limits = new DeviceLimits({
    perDevice: settings.limitDevicePerMinute,
    perAddress: settings.limitAddressPerMinute,
    trustedProxies: settings.trustedProxies,
    now: () => systemClock.monotonic(),
  });
  bySettings.set(settings, limits);
  return limits;
}

function rateLimited(waitMs: number): DomainError {
  const message = 'Too many requests. Wait as long as Retry-After says.';
  return new DomainError('RATE_LIMITED', message, { retry_after: Math.ceil(waitMs / 1_000) });
}
