import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { buildStateOf, channelSchema, type AppDevices, type Channel, getAppDevices } from '@sluice/contracts';
import { CLOCK, type Clock } from '@sluice/service-host';
import { QueryOf } from '@sluice/messaging';
import { addDays, dayOf } from './domain/report';
import { LatestReports } from './latest-reports';
import { ServingIndex } from '../serving/serving-index';

export class GetAppDevices extends QueryOf(getAppDevices) {}

@QueryHandler(GetAppDevices)
export class GetAppDevicesHandler implements IQueryHandler<GetAppDevices> {
  constructor(
    private readonly index: ServingIndex,
    private readonly reports: LatestReports,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ request: { apps } }: GetAppDevices): Promise<AppDevices[]> {
    const today = dayOf(this.clock.now());
    const yesterday = addDays(today, -1);
    const reported = await this.reports.of(apps, [yesterday, today]);
    return apps.map((app) => {
      const { active, installFailures, rollbacks } = reported.get(app) ?? {
        active: {},
        installFailures: 0,
        rollbacks: 0,
      };
      return {
        channels: channelSchema.options.map((channel) => ({ channel, build: this.served(app, channel) })),
        ...{ active_today: active[today] ?? 0, active_yesterday: active[yesterday] ?? 0 },
        ...{ install_failures: installFailures, rollbacks },
      };
    });
  }

  private served(app: number, channel: Channel): AppDevices['channels'][number]['build'] {
    const build = this.index.newestActive(app, channel)?.facts;
    if (build === undefined) return null;
    const { buildId: id, version, rolloutPercentage, rolloutEnabled, mandatory } = build;
    const rollout = { rollout_percentage: rolloutPercentage, rollout_enabled: rolloutEnabled };
    return { id, version, state: buildStateOf({ status: 'active', ...rollout }), ...rollout, mandatory };
  }
}
