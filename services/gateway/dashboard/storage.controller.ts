import { Inject } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import { storageSchema, type Storage } from '@sluice/contracts';
import { one } from '@sluice/openapi';
import type { GatewaySettings } from '../config/gateway.settings';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes } from '../http/route';
import { StorageLimit } from '../limits/storage-limit';
import { SETTINGS_TAG } from './settings.controller';

@Routes(...SETTINGS_TAG)
export class StorageController {
  constructor(
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    private readonly limit: StorageLimit,
  ) {}

  @DashboardRoute('GET', 'storage', {
    summary: 'Get how much storage the owner uses',
    description:
      'Counts the bundles of the owner’s apps, each once even if several builds share it. Does not count keystores, or bundles without a build that await deletion.',
    answers: { 200: one(storageSchema, 'The limit, the total, and the bytes of each app that has a bundle.') },
  })
  async getStorage({ owner, caller }: RequestContext): Promise<Storage> {
    const stored = await this.limit.stored(owner.id, caller);
    const apps = stored.map(({ appId, bytes }) => ({ id: appId, bytes })).sort((one, other) => one.id - other.id);
    return {
      limit_bytes: this.settings.storagePerOwnerBytes,
      used_bytes: apps.reduce((sum, { bytes }) => sum + bytes, 0),
      apps,
    };
  }
}
