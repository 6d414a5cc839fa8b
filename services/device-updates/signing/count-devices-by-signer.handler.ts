import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { SETTINGS, type Settings } from '@sluice/config';
import { countDevicesBySigner, type ReplyOf } from '@sluice/contracts';
import { ReadStore, StateStore } from '@sluice/document-store';
import { CLOCK, type Clock } from '@sluice/service-host';
import { QueryOf } from '@sluice/messaging';
import { dayOf } from '../reports/domain/report';
import { signedVersions, signedVersionsProjection } from './signed-versions.projection';
import { devicesByVersion } from '../reports/device-states';

export class CountDevicesBySigner extends QueryOf(countDevicesBySigner) {}

@QueryHandler(CountDevicesBySigner)
export class CountDevicesBySignerHandler implements IQueryHandler<CountDevicesBySigner> {
  constructor(
    private readonly documents: ReadStore,
    private readonly state: StateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'deviceStateDays'>,
  ) {}

  async execute({ request: { appId, keys } }: CountDevicesBySigner): Promise<ReplyOf<typeof countDevicesBySigner>> {
    const signed = this.documents.view(signedVersionsProjection.name, signedVersions);
    const [rows, devices] = await Promise.all([
      signed.find({ where: { appId } }),
      devicesByVersion(this.state, appId, { today: dayOf(this.clock.now()), days: this.settings.deviceStateDays }),
    ]);
    const firstSigned = new Map<string, number>();
    for (const { version, signedAt } of rows) {
      if (signedAt !== '')
        firstSigned.set(version, Math.min(Date.parse(signedAt), firstSigned.get(version) ?? Infinity));
    }
    const counts = keys.map(({ createdAt, supersededAt }) => {
      const from = Date.parse(createdAt);
      const until = supersededAt === null ? Infinity : Date.parse(supersededAt);
      return [...firstSigned]
        .filter(([, at]) => at >= from && at < until)
        .reduce((sum, [version]) => sum + (devices.get(version) ?? 0), 0);
    });
    return { counts };
  }
}
