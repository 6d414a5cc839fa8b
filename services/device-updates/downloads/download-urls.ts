import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Settings } from '@sluice/config';
import type { Clock } from '@sluice/kernel';
import type { DataKeys } from '@sluice/vault';
import { CODEPUSH_BASE } from '../http/compat-planes';

/** What a download URL authorises. */
export interface SignedBuild {
  readonly buildId: number;
  readonly appId: number;
  readonly checksum: string;
}

export interface DownloadUrlsOptions {
  /** The vault's data key `download-url`. */
  readonly keys: DataKeys;
  readonly settings: Pick<Settings, 'downloadUrlTtlSeconds'>;
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

/** Expiries are rounded to this part of a URL's life, so that many responses share one URL. */
const STEPS = 100;
const KID = /^[1-9]\d{0,8}$/;

/** Query of a download URL, as the client sent it. */
export interface SignedQuery {
  readonly expires: string;
  /** The version of the key that signed it; without it, version 1. */
  readonly kid?: string | undefined;
  readonly signature: string;
}

/** Signed, expiring URLs of bundles. The newest version of the key signs; each stored version verifies. */
export class DownloadUrls {
  private readonly ttlMs: number;
  private readonly stepMs: number;

  constructor(private readonly options: DownloadUrlsOptions) {
    this.ttlMs = options.settings.downloadUrlTtlSeconds * 1000;
    this.stepMs = this.ttlMs / STEPS;
  }

  /** When a URL that is issued now expires: after 99 to 100% of its life, in milliseconds since 1970. */
  expiry(): number {
    return Math.floor((this.options.clock.now().getTime() + this.ttlMs) / this.stepMs) * this.stepMs;
  }

  sign(build: SignedBuild, expires: number): string {
    return this.signed(`/api/v1/bundles/${build.buildId}/download`, build, expires);
  }

  private signed(path: string, build: SignedBuild, expires: number): string {
    const { version, key } = this.options.keys.newest;
    const kid = version === 1 ? '' : `&kid=${version}`;
    const query = `expires=${expires}${kid}&signature=${signatureOf(build, String(expires), key)}`;
    return `${this.options.publicUrl()}${path}?${query}`;
  }

  /** The URL of the changes that lead from one build to another, for clients of CodePush. */
  signChanges(build: SignedBuild, base: SignedBuild, expires: number): string {
    const path = `${CODEPUSH_BASE}/changes/${build.buildId}/${base.buildId}`;
    return this.signed(path, changesOf(build, base), expires);
  }

  verifyChanges(build: SignedBuild, base: SignedBuild, query: SignedQuery): Promise<boolean> {
    return this.verify(changesOf(build, base), query);
  }

  /** Whether this server issued this URL for this bundle and it has not expired. */
  async verify(build: SignedBuild, { expires, kid = '1', signature }: SignedQuery): Promise<boolean> {
    const key = KID.test(kid) ? (await this.options.keys.find(Number(kid)))?.key : undefined;
    if (key === undefined) return false;
    const expected = Buffer.from(signatureOf(build, expires, key));
    const given = Buffer.from(signature);
    return (
      given.length === expected.length &&
      timingSafeEqual(given, expected) &&
      Number(expires) > this.options.clock.now().getTime()
    );
  }

  /** How long a URL that verify() accepted stays valid: whole seconds, rounded down. */
  secondsLeft(expires: string): number {
    return Math.max(0, Math.floor((Number(expires) - this.options.clock.now().getTime()) / 1_000));
  }
}

function changesOf({ buildId, appId, checksum }: SignedBuild, base: SignedBuild): SignedBuild {
  return { buildId, appId, checksum: `${checksum}:${base.checksum}` };
}

function signatureOf({ buildId, appId, checksum }: SignedBuild, expires: string, key: Buffer): string {
  return createHmac('sha256', key).update(`${buildId}:${appId}:${checksum}:${expires}`).digest('base64url');
}
