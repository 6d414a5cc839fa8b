import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@sluice/kernel';

/** What a download URL vouches for. */
export interface SignedBuild {
  readonly buildId: number;
  readonly appId: number;
  readonly checksum: string;
}

export interface DownloadUrlsOptions {
  /** The vault's data key `download-url`. */
  readonly key: Buffer;
  readonly ttlSeconds: number;
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

/** Expiries move in steps of this part of a URL's life, so that many answers share one URL. */
const STEPS = 100;

/** Signed, expiring addresses of bundles. */
export class DownloadUrls {
  private readonly ttlMs: number;
  private readonly stepMs: number;

  constructor(private readonly options: DownloadUrlsOptions) {
    this.ttlMs = options.ttlSeconds * 1000;
    this.stepMs = this.ttlMs / STEPS;
  }

  /** When a URL given now expires: in 99 to 100 % of its life, in milliseconds since 1970. */
  expiry(): number {
    return Math.floor((this.options.clock.now().getTime() + this.ttlMs) / this.stepMs) * this.stepMs;
  }

  sign(build: SignedBuild, expires: number): string {
    const query = `expires=${expires}&signature=${this.signature(build, String(expires))}`;
    return `${this.options.publicUrl()}/api/v1/bundles/${build.buildId}/download?${query}`;
  }

  /** Whether this server gave this URL for this very bundle and it has not expired. */
  verify(build: SignedBuild, expires: string, signature: string): boolean {
    const expected = Buffer.from(this.signature(build, expires));
    const given = Buffer.from(signature);
    return (
      given.length === expected.length &&
      timingSafeEqual(given, expected) &&
      Number(expires) > this.options.clock.now().getTime()
    );
  }

  /** For how long a URL that verify() found good stays so: whole seconds, rounded down. */
  secondsLeft(expires: string): number {
    return Math.max(0, Math.floor((Number(expires) - this.options.clock.now().getTime()) / 1_000));
  }

  private signature({ buildId, appId, checksum }: SignedBuild, expires: string): string {
    return createHmac('sha256', this.options.key)
      .update(`${buildId}:${appId}:${checksum}:${expires}`)
      .digest('base64url');
  }
}
