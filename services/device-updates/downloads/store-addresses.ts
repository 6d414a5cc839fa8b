import type { Clock } from '@sluice/kernel';
import type { ObjectStore } from '@sluice/object-store';
import type { ServedBuild } from '../serving/served-builds';

export interface StoreAddressesOptions {
  readonly presign: NonNullable<ObjectStore['presign']>;
  readonly ttlSeconds: number;
  readonly clock: Clock;
}

/** Times are rounded to this part of a URL's life, so that many downloads share one. */
const STEPS = 100;
/** The maximum of S3. */
const MAX_SECONDS = 604_800;

/** The object store's own URLs of bundles, signed once for each step of time. */
export class StoreAddresses {
  private readonly given = new WeakMap<ServedBuild, { readonly from: number; readonly address: Promise<string> }>();
  private readonly stepSeconds: number;

  constructor(private readonly options: StoreAddressesOptions) {
    this.stepSeconds = Math.ceil(options.ttlSeconds / STEPS);
  }

  /** Valid for at least `ttlSeconds` from now, and at most one step more. */
  of(build: ServedBuild): Promise<string> {
    const { presign, ttlSeconds, clock } = this.options;
    const stepMs = this.stepSeconds * 1_000;
    const from = Math.floor(clock.now().getTime() / stepMs) * stepMs;
    const last = this.given.get(build);
    if (last?.from === from) return last.address;
    const address = presign(build.facts.objectKey, {
      from: new Date(from),
      ttlSeconds: Math.min(ttlSeconds + this.stepSeconds, MAX_SECONDS),
      contentType: 'application/zip',
      contentDisposition: `attachment; filename="bundle-${build.facts.version}.zip"`,
    });
    this.given.set(build, { from, address });
    return address;
  }
}
