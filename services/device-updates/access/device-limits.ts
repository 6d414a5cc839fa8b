import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Settings } from '@sluice/config';
import { clientAddress, type ClientAddress } from '@sluice/http';
import { DomainError, systemClock } from '@sluice/kernel';
import { FixedWindows } from './fixed-windows';

/** Limits per device, per address and per process, from the settings. */
export type LimitSettings = Pick<
  Settings,
  'limitDevicePerMinute' | 'limitAddressPerMinute' | 'limitDownloadsPerAddress' | 'limitDownloads' | 'trustedProxies'
>;

const MINUTE_MS = 60_000;
/** 4 MiB. Exact for about 50,000 devices a minute; of more, those with the most requests stay counted. */
const DEVICES = 2 ** 18;
/** Wait after a rejected download; a fast download ends sooner. */
const DOWNLOAD_RETRY_MS = 10_000;
/** 1 MiB. */
const ADDRESSES = 2 ** 16;

/**
 * The limits of the device plane: per process, in memory of a fixed size. Every request counts, including
 * rejected ones.
 */
export class DeviceLimits {
  readonly addressOf: ClientAddress;
  private readonly addresses: FixedWindows;
  private readonly devices: FixedWindows;
  private downloads = 0;
  private readonly downloadsOf = new Map<string, number>();

  /** @param now monotonic milliseconds */
  constructor(
    private readonly settings: LimitSettings,
    now: () => number,
  ) {
    const { limitAddressPerMinute, limitDevicePerMinute, trustedProxies } = settings;
    this.addressOf = clientAddress(trustedProxies);
    this.addresses = new FixedWindows({ limit: limitAddressPerMinute, windowMs: MINUTE_MS, subjects: ADDRESSES, now });
    this.devices = new FixedWindows({ limit: limitDevicePerMinute, windowMs: MINUTE_MS, subjects: DEVICES, now });
  }

  /** Counts a request against its address, before any other check. @throws DomainError RATE_LIMITED */
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

  /**
   * Counts a download until its response closes.
   * @param response has its connection already
   * @throws DomainError RATE_LIMITED when its address, or the process, has as many in progress as it may
   */
  beginDownload(request: Pick<IncomingMessage, 'headers' | 'socket'>, response: ServerResponse): void {
    const address = this.addressOf(request);
    const ofAddress = this.downloadsOf.get(address) ?? 0;
    const { limitDownloadsPerAddress, limitDownloads } = this.settings;
    if (ofAddress >= limitDownloadsPerAddress || this.downloads >= limitDownloads) {
      throw rateLimited(DOWNLOAD_RETRY_MS, 'Too many downloads at the same time.');
    }
    this.downloads += 1;
    this.downloadsOf.set(address, ofAddress + 1);
    response.once('close', () => {
      this.downloads -= 1;
      const left = (this.downloadsOf.get(address) ?? 1) - 1;
      if (left === 0) this.downloadsOf.delete(address);
      else this.downloadsOf.set(address, left);
    });
  }
}

const bySettings = new WeakMap<Settings, DeviceLimits>();

/** The limits of the process; they also apply before its plane has started. */
export function deviceLimitsOf(settings: Settings): DeviceLimits {
  const made = bySettings.get(settings);
  if (made !== undefined) return made;
  const limits = new DeviceLimits(settings, () => systemClock.monotonic());
  bySettings.set(settings, limits);
  return limits;
}

function rateLimited(waitMs: number, reason = 'Too many requests.'): DomainError {
  const message = `${reason} Wait as long as Retry-After says.`;
  return new DomainError('RATE_LIMITED', message, { retry_after: Math.ceil(waitMs / 1_000) });
}
