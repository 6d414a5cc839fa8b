import { Injectable } from '@nestjs/common';
import { getStorage, type RequestOf } from '@sluice/contracts';
import { type ReadableRows, ReadStore } from '@sluice/document-store';
import { HandlesQuery } from '@sluice/messaging';
import { bundleClaims, buildsProjection, type BundleClaimRow } from '../builds/builds.projection';

/** How many bytes the bundles of apps take. One that several builds share counts once, one without a build not at all. */
@Injectable()
export class StoredBundles {
  private readonly claims: ReadableRows<BundleClaimRow>;

  constructor(readStore: ReadStore) {
    this.claims = readStore.view(buildsProjection.name, bundleClaims);
  }

  @HandlesQuery(getStorage)
  async storage({ apps }: RequestOf<typeof getStorage>) {
    return [...(await this.bytesOf(apps))].map(([appId, bytes]) => ({ appId, bytes }));
  }

  /** By app, those without a bundle left out. @throws DocumentStoreUnavailableError */
  async bytesOf(apps: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const bytes = new Map<number, number>();
    for (const { appId, size } of (await this.bundlesOf(apps)).values()) {
      bytes.set(appId, size + (bytes.get(appId) ?? 0));
    }
    return bytes;
  }

  /** Of the bundles that no other build of the app needs. @throws DocumentStoreUnavailableError */
  async freedBy(appId: number, builds: ReadonlySet<number>): Promise<number> {
    if (builds.size === 0) return 0;
    const bundles = await this.bundlesOf([appId]);
    const freed = [...bundles.values()].filter((bundle) => bundle.builds.every((build) => builds.has(build)));
    return freed.reduce((sum, { size }) => sum + size, 0);
  }

  /** By object key. */
  private async bundlesOf(apps: readonly number[]): Promise<ReadonlyMap<string, Bundle>> {
    const bundles = new Map<string, Bundle>();
    for (const { id, object_key, app_id, size } of await this.claims.find({ where: { app_id: { in: apps } } })) {
      const bundle = bundles.get(object_key) ?? { appId: app_id, size: 0, builds: [] };
      bundle.builds.push(Number(id));
      bundles.set(object_key, { ...bundle, size: Math.max(bundle.size, size) });
    }
    return bundles;
  }
}

interface Bundle {
  readonly appId: number;
  /** Bytes. */
  readonly size: number;
  readonly builds: number[];
}
