import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type BlockedCallers, countBlockedCallers } from '@sluice/contracts';
import { ReadStore, StateStore } from '@sluice/document-store';
import { QueryOf } from '@sluice/messaging';
import { apiKeyRows, apiKeysProjection } from './api-keys.projection';
import { apiKeyUsage } from './api-key-usage';

export class CountBlockedCallers extends QueryOf(countBlockedCallers) {}

@QueryHandler(CountBlockedCallers)
export class CountBlockedCallersHandler implements IQueryHandler<CountBlockedCallers> {
  constructor(
    private readonly documents: ReadStore,
    private readonly state: StateStore,
  ) {}

  async execute({ request: { apps } }: CountBlockedCallers): Promise<BlockedCallers[]> {
    const keys = await this.documents
      .view(apiKeysProjection.name, apiKeyRows)
      .find({ where: { appId: { in: apps } }, sort: [['appId', 'asc']] });
    const used = await this.state.rows(apiKeyUsage).find({ where: { id: { in: keys.map(({ id }) => id) } } });
    const usageOf = new Map(used.map((usage) => [usage.id, usage]));
    return apps.map((app) => {
      const usages = keys.filter(({ appId }) => appId === app).flatMap(({ id }) => usageOf.get(id) ?? []);
      return {
        count: usages.reduce((sum, { blockedCount }) => sum + blockedCount, 0),
        last_at: usages
          .map(({ lastBlockedAt }) => lastBlockedAt)
          .reduce((last, at) => (at !== null && (last === null || at > last) ? at : last), null),
      };
    });
  }
}
