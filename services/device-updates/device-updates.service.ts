import { SETTINGS, type Settings } from '@sluice/config';
import { CLOCK, REPORT, type Clock, type Report, type ServiceDefinition } from '@sluice/engines';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { CheckCounts } from './application/check-counts';
import { DeviceHashes } from './application/device-hashes';
import { DeviceReports } from './application/device-reports';
import { DownloadUrls } from './application/download-urls';
import { EngineHealth } from './application/engine-health';
import { KeyUsage } from './application/key-usage';
import { ServingIndex } from './application/serving-index';
import { UpdateAnswers } from './application/update-answers';
import { DeviceUpdatesModule } from './device-updates.module';
import { DeviceLimits } from './http/device-limits';
import { registerDeviceRoutes } from './http/device-routes';
import { serving } from './projections/serving.projection';

export const deviceUpdates: ServiceDefinition = {
  name: 'device-updates',
  module: DeviceUpdatesModule,
  projections: [serving],
  plane: {
    prefixes: ['/api/v1/', '/api/health'],
    configure: (app) =>
      registerDeviceRoutes(app.getHttpAdapter().getInstance(), {
        index: app.get(ServingIndex),
        usage: app.get(KeyUsage),
        answers: app.get(UpdateAnswers),
        limits: app.get(DeviceLimits),
        urls: app.get(DownloadUrls),
        objects: app.get<ObjectStore>(OBJECT_STORE, { strict: false }),
        counts: app.get(CheckCounts),
        reports: app.get(DeviceReports),
        hashes: app.get(DeviceHashes),
        clock: app.get<Clock>(CLOCK, { strict: false }),
        report: app.get<Report>(REPORT, { strict: false }),
        environment: app.get<Settings>(SETTINGS, { strict: false }).environment,
      }),
    readiness: (app) => ({ ready: app.get(ServingIndex).ready, degraded: app.get(EngineHealth).degraded }),
  },
};
