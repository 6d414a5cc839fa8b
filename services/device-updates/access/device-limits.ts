import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Settings } from '@sluice/config';
import { clientAddress, type ClientAddress } from '@sluice/http';
import { DomainError, systemClock } from '@sluice/kernel';
import { FixedWindows } from './fixed-windows';

/** How much one device, one address and this process may do, as the settings say it. */
export type LimitSettings = Pick<
  Settings,
  'limitDevicePerMinute' | 'limitAddressPerMinute' | 'limitDownloadsPerAddress' | 'limitDownloads' | 'trustedProxies'
>;

const MINUTE_MS = 60_000;
/** 4 MiB. Exact for some 50,000 devices a minute; of more, those that ask most are counted on. */
const DEVICES = 2 ** 18;
/** Of a download beyond those that may be in progress at a time; one that is served well ends sooner. */
const DOWNLOAD_RETRY_MS = 10_000;
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
  private downloads = 0;
  private readonly downloadsOf = new Map<string, number>();

  /** @param now milliseconds that never go back */
  constructor(
    private readonly settings: LimitSettings,
    now: () => number,
  ) {
    const { limitAddressPerMinute, limitDevicePerMinute, trustedProxies } = settings;
    this.addressOf = clientAddress(trustedProxies);
    this.addresses = new FixedWindows({ limit: limitAddressPerMinute, windowMs: MINUTE_MS, subjects: ADDRESSES, now });
    this.devices = new FixedWindows({ limit: limitDevicePerMinute, windowMs: MINUTE_MS, subjects: DEVICES, now });
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

  /**
   * Counts a download until its response closes.
   * @param response has its connection
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

/** Those of the process that was started with these settings: they hold before its plane has started, too. */
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
