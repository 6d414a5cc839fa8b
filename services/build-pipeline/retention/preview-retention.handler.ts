import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { previewRetention, type ReplyOf } from '@sluice/contracts';
import { MAX_PREVIEWED_BUILDS } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { BuildRetention } from './build-retention';
import { toBuild } from '../builds/builds.projection';
import { StoredBundles } from '../storage/stored-bundles';

export class PreviewRetention extends QueryOf(previewRetention) {}

@QueryHandler(PreviewRetention)
export class PreviewRetentionHandler implements IQueryHandler<PreviewRetention> {
  constructor(
    private readonly retention: BuildRetention,
    private readonly bundles: StoredBundles,
  ) {}

  async execute({ request: { appId, keepBuilds } }: PreviewRetention): Promise<ReplyOf<typeof previewRetention>> {
    const keep = this.retention.keeps(keepBuilds);
    const due = await this.retention.due(appId, keep);
    return {
      keep_builds: keep,
      total: due.length,
      freed_bytes: await this.bundles.freedBy(appId, new Set(due.map(({ id }) => Number(id)))),
      builds: due.slice(0, MAX_PREVIEWED_BUILDS).map((row) => {
        const { id, version, channel, state, file_size, created_at } = toBuild(row);
        return { id, version, channel, state, file_size, created_at };
      }),
    };
  }
}
