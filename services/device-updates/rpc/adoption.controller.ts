import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  countDevicesBySigner,
  explainUpdate,
  forgetDevice,
  getAdoption,
  getAppDevices,
  getBuildStats,
  getDevice,
  listDeviceReports,
  type Adoption,
  type AppDevices,
  type BuildStats,
  type Explanation,
  type ReplyOf,
  type RequestOf,
} from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { CountDevicesBySigner } from '../application/count-devices-by-signer.handler';
import { ExplainUpdate } from '../application/explain-update.handler';
import { ForgetDevice } from '../application/forget-device.handler';
import { GetAdoption } from '../application/get-adoption.handler';
import { GetAppDevices } from '../application/get-app-devices.handler';
import { GetBuildStats } from '../application/get-build-stats.handler';
import { GetDevice } from '../application/get-device.handler';
import { ListDeviceReports } from '../application/list-device-reports.handler';

@Controller()
export class AdoptionController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(getAdoption)
  adoption(request: RequestOf<typeof getAdoption>): Promise<Adoption> {
    return this.queries.execute(new GetAdoption(request));
  }

  @Handles(getBuildStats)
  stats(request: RequestOf<typeof getBuildStats>): Promise<BuildStats> {
    return this.queries.execute(new GetBuildStats(request));
  }

  @Handles(getAppDevices)
  ofApps(request: RequestOf<typeof getAppDevices>): Promise<AppDevices[]> {
    return this.queries.execute(new GetAppDevices(request));
  }

  @Handles(explainUpdate)
  explain(request: RequestOf<typeof explainUpdate>): Promise<Explanation> {
    return this.queries.execute(new ExplainUpdate(request));
  }

  @Handles(countDevicesBySigner)
  bySigner(request: RequestOf<typeof countDevicesBySigner>): Promise<ReplyOf<typeof countDevicesBySigner>> {
    return this.queries.execute(new CountDevicesBySigner(request));
  }

  @Handles(getDevice)
  device(request: RequestOf<typeof getDevice>): Promise<ReplyOf<typeof getDevice>> {
    return this.queries.execute(new GetDevice(request));
  }

  @Handles(listDeviceReports)
  reportsOf(request: RequestOf<typeof listDeviceReports>): Promise<ReplyOf<typeof listDeviceReports>> {
    return this.queries.execute(new ListDeviceReports(request));
  }

  @Handles(forgetDevice)
  forget(request: RequestOf<typeof forgetDevice>): Promise<ReplyOf<typeof forgetDevice>> {
    return this.commands.execute(new ForgetDevice(request));
  }
}
