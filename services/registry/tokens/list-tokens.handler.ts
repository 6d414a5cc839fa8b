import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { listTokens, type ReplyOf } from '@sluice/contracts';
import { ReadStore, StateStore } from '@sluice/document-store';
import { CLOCK } from '@sluice/service-host';
import type { Clock } from '@sluice/kernel';
import { QueryOf } from '@sluice/messaging';
import { appRows, appsProjection } from '../apps/apps.projection';
import { tokenRows, tokensProjection } from './tokens.projection';
import { tokenResource } from './token-resource';
import { lastUses } from './token-usage';

export class ListTokens extends QueryOf(listTokens) {}

@QueryHandler(ListTokens)
export class ListTokensHandler implements IQueryHandler<ListTokens> {
  constructor(
    private readonly documents: ReadStore,
    private readonly state: StateStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ request }: ListTokens): Promise<ReplyOf<typeof listTokens>> {
    const { ownerId, page, perPage } = request;
    const tokens = this.documents.view(tokensProjection.name, tokenRows);
    const [rows, total, apps] = await Promise.all([
      tokens.find({
        where: { ownerId },
        sort: [['number', 'asc']],
        offset: (page - 1) * perPage,
        limit: perPage,
      }),
      tokens.count({ ownerId }),
      this.documents.view(appsProjection.name, appRows).find({ where: { ownerId }, sort: [['number', 'asc']] }),
    ]);
    const ownersApps = apps.map((row) => ({ id: row.number, tokenId: row.tokenId }));
    const now = this.clock.now();
    const used = await lastUses(
      this.state,
      rows.map((row) => row.number),
    );
    const items = rows.map((row, index) =>
      tokenResource({ ...row, id: row.number }, ownersApps, now, used[index] ?? null),
    );
    return { items, total };
  }
}
