import { SETTINGS, type Settings } from '@sluice/config';
import { CLOCK, type Clock, type ServiceDefinition, LOGGER, type Logger } from '@sluice/service-host';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import type { DeviceUpdatesSettings } from './config/device-updates.settings';
import { CheckCounts } from './reports/check-counts';
import { ChoiceStore } from './channels/choice-store';
import { DeviceHashes } from './devices/device-hashes';
import { DeviceReports } from './reports/device-reports';
import { DiskFloor } from './reports/disk-floor';
import { DownloadUrls } from './downloads/download-urls';
import { FileIndexes } from './files/file-indexes';
import { KeyUsage } from './access/key-usage';
import { ReportBudgets } from './reports/report-budgets';
import { ServingIndex } from './serving/serving-index';
import { StoreAddresses } from './downloads/store-addresses';
import { UpdateAnswers } from './update-check/update-answers';
import { DeviceUpdatesModule } from './device-updates.module';
import { DeviceLimits } from './access/device-limits';
import { registerDeviceRoutes } from './device-routes';
import { BASE, COMPAT_BASE, FILES_BASE, headersOfUnrouted, refuseUnrouted } from './http/unrouted';
import { serving } from './serving/serving.projection';
import { signedVersionsProjection } from './signing/signed-versions.projection';
import { SignedStatements } from './signing/signed-statements';

export const deviceUpdates: ServiceDefinition = {
  name: 'device-updates',
  module: DeviceUpdatesModule,
  needs: ['events', 'readStore', 'stateStore', 'objects', 'vault'],
  projections: [serving, signedVersionsProjection],
  plane: {
    prefixes: [BASE, COMPAT_BASE, FILES_BASE, '/api/health'],
    hosts: (settings) => (settings as DeviceUpdatesSettings).compatHosts,
    refusal: refuseUnrouted,
    headers: headersOfUnrouted,
    configure: (app) =>
      registerDeviceRoutes(app.getHttpAdapter().getInstance(), {
        index: app.get(ServingIndex),
        usage: app.get(KeyUsage),
        answers: app.get(UpdateAnswers),
        limits: app.get(DeviceLimits),
        urls: app.get(DownloadUrls),
        files: app.get(FileIndexes),
        messaging: app.get<Messaging>(MESSAGING, { strict: false }),
        objects: app.get<ObjectStore>(OBJECT_STORE, { strict: false }),
        storeAddresses: storeAddresses(
          app.get<Settings>(SETTINGS, { strict: false }),
          app.get<ObjectStore>(OBJECT_STORE, { strict: false }),
          app.get<Clock>(CLOCK, { strict: false }),
        ),
        counts: app.get(CheckCounts),
        reports: app.get(DeviceReports),
        hashes: app.get(DeviceHashes),
        choices: app.get(ChoiceStore),
        budgets: app.get(ReportBudgets),
        disk: app.get(DiskFloor),
        clock: app.get<Clock>(CLOCK, { strict: false }),
        logger: app.get<Logger>(LOGGER, { strict: false }),
        environment: app.get<Settings>(SETTINGS, { strict: false }).nodeEnv,
      }),
    readiness: (app) => ({ ready: app.get(ServingIndex).ready }),
  },
  diagnostics: async (app) => ({ signed_statements: await app.get(SignedStatements).health() }),
};

function storeAddresses(settings: Settings, { presign }: ObjectStore, clock: Clock): StoreAddresses | undefined {
  if (settings.downloadMode === 'stream' || presign === undefined) return undefined;
  return new StoreAddresses({ presign, ttlSeconds: settings.downloadUrlTtlSeconds, clock });
}
