import { Controller, Get, Inject } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import type { Caller, Storage } from '@sluice/contracts';
import type { KnownOwner } from '../../projections/access-state';
import { RequestCaller, RequestOwner } from '../request.decorators';
import { StorageLimit } from '../storage-limit';

/** How much of its storage an owner uses. */
@Controller('api/dashboard/v1/storage')
export class StorageController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly limit: StorageLimit,
  ) {}

  @Get()
  async get(@RequestOwner() { id }: KnownOwner, @RequestCaller() caller: Caller): Promise<{ data: Storage }> {
    const stored = await this.limit.stored(id, caller);
    const apps = stored.map(({ appId, bytes }) => ({ id: appId, bytes })).sort((one, other) => one.id - other.id);
    return {
      data: {
        limit_bytes: this.settings.storagePerOwnerBytes,
        used_bytes: apps.reduce((sum, { bytes }) => sum + bytes, 0),
        apps,
      },
    };
  }
}
