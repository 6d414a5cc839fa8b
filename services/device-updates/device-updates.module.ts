import { dirname } from 'node:path';
import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SETTINGS } from '@sluice/config';
import { type ApiKeyUse, type DataKeyName, recordApiKeyUse, signDigest } from '@sluice/contracts';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { ReadStore, StateStore } from '@sluice/document-store';
import {
  CLOCK,
  REPLICA_POSITIONS,
  PUBLIC_URL,
  REPORT,
  type Clock,
  type PublicUrl,
  type Report,
} from '@sluice/service-host';
import { EVENT_STORE, type EventStore } from '@sluice/event-store';
import { newCommandId } from '@sluice/kernel';
import { MESSAGING, type ReplicaPositions, type Messaging, serveCalls } from '@sluice/messaging';
import { newestBuilds, statements as statementMetrics } from '@sluice/telemetry';
import { VAULT, type Vault } from '@sluice/vault';
import { NewestBuildOutcomes } from './reports/build-outcomes';
import { CheckCounts } from './reports/check-counts';
import { CountDevicesBySigner, CountDevicesBySignerHandler } from './signing/count-devices-by-signer.handler';
import { DeviceHashes } from './reports/device-hashes';
import { DeviceReports } from './reports/device-reports';
import { DiskFloor } from './reports/disk-floor';
import { DownloadUrls } from './downloads/download-urls';
import { ExplainUpdate, ExplainUpdateHandler } from './serving/explain-update.handler';
import { ForgetDevice, ForgetDeviceHandler } from './reports/forget-device.handler';
import { GetAdoption, GetAdoptionHandler } from './reports/get-adoption.handler';
import { GetAppDevices, GetAppDevicesHandler } from './reports/get-app-devices.handler';
import { GetBuildStats, GetBuildStatsHandler } from './reports/get-build-stats.handler';
import { GetDevice, GetDeviceHandler } from './reports/get-device.handler';
import { GetDeviceUrl, GetDeviceUrlHandler } from './http/get-device-url.handler';
import { KeyUsage } from './access/key-usage';
import { LatestReports } from './reports/latest-reports';
import { ListDeviceReports, ListDeviceReportsHandler } from './reports/list-device-reports.handler';
import { ReportBudgets } from './reports/report-budgets';
import { ReportCounts } from './reports/report-counts';
import { ServingIndex } from './serving/serving-index';
import { UpdateAnswers } from './update-check/update-answers';
import { DescribeDevicePlane, DescribeDevicePlaneHandler } from './http/describe-device-plane.handler';
import { DeviceLimits, deviceLimitsOf } from './access/device-limits';
import { RemovedAppSweep } from './reports/removed-app-sweep';
import { ReportRetention } from './reports/report-retention';
import { SignedStatements } from './signing/signed-statements';
import { StatementSigner } from './signing/statement-signer';
import type { DeviceUpdatesSettings } from './config/device-updates.settings';

@Module({
  imports: [CqrsModule],
  controllers: [
    serveCalls(
      GetAdoption,
      GetBuildStats,
      GetAppDevices,
      ExplainUpdate,
      CountDevicesBySigner,
      GetDevice,
      GetDeviceUrl,
      DescribeDevicePlane,
      ListDeviceReports,
      ForgetDevice,
    ),
  ],
  providers: [
    CountDevicesBySignerHandler,
    DescribeDevicePlaneHandler,
    ExplainUpdateHandler,
    ForgetDeviceHandler,
    GetAdoptionHandler,
    GetAppDevicesHandler,
    GetBuildStatsHandler,
    GetDeviceHandler,
    GetDeviceUrlHandler,
    ListDeviceReportsHandler,
    RemovedAppSweep,
    ReportRetention,
    {
      provide: ServingIndex,
      inject: [EVENT_STORE, ReadStore, REPLICA_POSITIONS, REPORT],
      useFactory: (events: EventStore, documents: ReadStore, members: ReplicaPositions, report: Report) =>
        new ServingIndex({ events, documents, members, report }),
    },
    {
      provide: DownloadUrls,
      inject: [VAULT, SETTINGS, PUBLIC_URL, CLOCK],
      useFactory: async (vault: Vault, settings: DeviceUpdatesSettings, publicUrl: PublicUrl, clock: Clock) =>
        new DownloadUrls({
          keys: await vault.dataKeys('download-url' satisfies DataKeyName),
          ttlSeconds: settings.downloadUrlTtlSeconds,
          publicUrl,
          clock,
        }),
    },
    {
      provide: DeviceLimits,
      inject: [SETTINGS],
      useFactory: deviceLimitsOf,
    },
    {
      provide: SignedStatements,
      inject: [ServingIndex, StateStore, MESSAGING, CLOCK, REPORT],
      useFactory: (index: ServingIndex, state: StateStore, messaging: Messaging, clock: Clock, report: Report) =>
        new SignedStatements({ index, state, messaging, clock, report }),
    },
    {
      provide: StatementSigner,
      inject: [ServingIndex, SignedStatements, StateStore, MESSAGING, SETTINGS, CLOCK, REPORT],
      useFactory: (
        index: ServingIndex,
        statements: SignedStatements,
        state: StateStore,
        messaging: Messaging,
        { manifestTtlHours: ttlHours }: DeviceUpdatesSettings,
        clock: Clock,
        report: Report,
      ) => {
        const sign = async (appId: number, digest: string) => {
          const caller = { actor: 'system:statement-signer', commandId: newCommandId() };
          return (await messaging.request(signDigest, { appId, digest }, caller)).signatures;
        };
        return new StatementSigner({ index, statements, state, messaging, sign, ttlHours, clock, report });
      },
    },
    {
      provide: UpdateAnswers,
      inject: [DownloadUrls, SignedStatements],
      useFactory: (urls: DownloadUrls, statements: SignedStatements) => new UpdateAnswers(urls, statements),
    },
    {
      provide: DeviceHashes,
      inject: [VAULT, CLOCK],
      useFactory: async (vault: Vault, clock: Clock) =>
        new DeviceHashes({ keys: await vault.dataKeys('device-id' satisfies DataKeyName), clock }),
    },
    {
      provide: KeyUsage,
      inject: [StateStore, MESSAGING, REPORT],
      useFactory: (state: StateStore, messaging: Messaging, report: Report) => {
        const record = async (uses: ApiKeyUse[]) => {
          const caller = { actor: 'system:device-updates', commandId: newCommandId() };
          return (await messaging.request(recordApiKeyUse, { uses }, caller, { timeoutMs: 2_000 })).recorded;
        };
        return new KeyUsage({ state, record, report });
      },
    },
    {
      provide: ReportBudgets,
      inject: [StateStore, CLOCK, SETTINGS, REPORT],
      useFactory: (state: StateStore, clock: Clock, settings: DeviceUpdatesSettings, warn: Report) =>
        new ReportBudgets({
          ...{ state, clock, warn },
          perApp: settings.reportsPerAppPerDay,
          perOwner: settings.reportsPerOwnerPerDay,
        }),
    },
    {
      provide: DeviceReports,
      inject: [StateStore, CLOCK, ReportBudgets],
      useFactory: (state: StateStore, clock: Clock, budgets: ReportBudgets) =>
        new DeviceReports({ state, clock, wrote: (appId, rows) => budgets.wrote(appId, rows) }),
    },
    {
      provide: DiskFloor,
      inject: [SETTINGS, REPORT],
      useFactory: ({ stateStoreUrl, minFreeDiskBytes }: DeviceUpdatesSettings, warn: Report) =>
        new DiskFloor({
          folder: stateStoreUrl.startsWith('sqlite:') ? dirname(stateStoreUrl.slice('sqlite:'.length)) : undefined,
          minFreeBytes: minFreeDiskBytes,
          warn,
        }),
    },
    {
      provide: CheckCounts,
      inject: [StateStore, CLOCK, REPORT],
      useFactory: (state: StateStore, clock: Clock, report: Report) => new CheckCounts({ state, clock, report }),
    },
    {
      provide: LatestReports,
      inject: [StateStore, CLOCK],
      useFactory: (state: StateStore, clock: Clock) => new LatestReports({ state, clock }),
    },
    {
      provide: ReportCounts,
      inject: [StateStore, CLOCK],
      useFactory: (state: StateStore, clock: Clock) => new ReportCounts({ state, clock }),
    },
    {
      provide: NewestBuildOutcomes,
      inject: [ServingIndex, ReportCounts, CLOCK],
      useFactory: (index: ServingIndex, counts: ReportCounts, clock: Clock) =>
        new NewestBuildOutcomes({ index, counts, clock }),
    },
  ],
})
export class DeviceUpdatesModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(ServingIndex) private readonly index: ServingIndex,
    @Inject(KeyUsage) private readonly usage: KeyUsage,
    @Inject(CheckCounts) private readonly counts: CheckCounts,
    @Inject(SignedStatements) private readonly statements: SignedStatements,
    @Inject(StatementSigner) private readonly signer: StatementSigner,
    @Inject(DiskFloor) private readonly disk: DiskFloor,
    @Inject(NewestBuildOutcomes) private readonly outcomes: NewestBuildOutcomes,
  ) {}

  /** Whoever waits for this module to start finds the index loaded. */
  async onApplicationBootstrap(): Promise<void> {
    await this.disk.start();
    // The index takes from rows what it would otherwise read as events beside the projection, in twice the memory.
    await this.projections.caughtUpOrStopped;
    await this.index.open();
    await this.statements.open();
    statementMetrics.earliestExpiry = () => this.statements.earliestExpiry();
    newestBuilds.reports = () => this.outcomes.read();
    this.signer.start();
  }

  async onApplicationShutdown(): Promise<void> {
    delete statementMetrics.earliestExpiry;
    delete newestBuilds.reports;
    await this.signer.stop();
    await this.statements.close();
    await this.disk.stop();
    await this.usage.stop();
    await this.counts.stop();
    await this.index.close();
  }
}
