import { dirname } from 'node:path';
import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SETTINGS } from '@sluice/config';
import { type ApiKeyUse, type DataKeyName, recordApiKeyUse, signDigest } from '@sluice/contracts';
import { ReadStore, StateStore } from '@sluice/document-store';
import { EVENT_STORE } from '@sluice/event-store';
import { type Clock, newCommandId } from '@sluice/kernel';
import { MESSAGING, type Messaging, serveHandlers } from '@sluice/messaging';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import {
  CLOCK,
  REPLICA_POSITIONS,
  provide,
  PUBLIC_URL,
  LOGGER,
  type Logger,
  type PublicUrl,
} from '@sluice/service-host';
import { newestBuilds, statements as statementMetrics } from '@sluice/telemetry';
import { VAULT, type Vault } from '@sluice/vault';
import { DeviceLimits, deviceLimitsOf } from './access/device-limits';
import { KeyUsage } from './access/key-usage';
import { DownloadUrls } from './downloads/download-urls';
import { DescribeDevicePlane } from './http/describe-device-plane.handler';
import { NewestBuildOutcomes } from './reports/build-outcomes';
import { CheckCounts } from './reports/check-counts';
import { DeviceHashes } from './reports/device-hashes';
import { DeviceReports } from './reports/device-reports';
import { DeviceHandlers } from './reports/device.handlers';
import { DiskFloor } from './reports/disk-floor';
import { LatestReports } from './reports/latest-reports';
import { RemovedAppSweep } from './reports/removed-app-sweep';
import { ReportBudgets } from './reports/report-budgets';
import { ReportCounts } from './reports/report-counts';
import { ReportRetention } from './reports/report-retention';
import { StatsHandlers } from './reports/stats.handlers';
import { Explanations } from './serving/explanations';
import { ServingIndex } from './serving/serving-index';
import { SignedStatements } from './signing/signed-statements';
import { StatementSigner } from './signing/statement-signer';
import type { DeviceUpdatesSettings } from './config/device-updates.settings';
import { UpdateAnswers } from './update-check/update-answers';

const { controllers, providers } = serveHandlers(DescribeDevicePlane, DeviceHandlers, Explanations, StatsHandlers);

@Module({
  imports: [CqrsModule],
  controllers,
  providers: [
    ...providers,
    RemovedAppSweep,
    ReportRetention,
    UpdateAnswers,
    provide(ServingIndex, { events: EVENT_STORE, documents: ReadStore, members: REPLICA_POSITIONS, logger: LOGGER }),
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
    provide(SignedStatements, {
      index: ServingIndex,
      state: StateStore,
      messaging: MESSAGING,
      clock: CLOCK,
      logger: LOGGER,
    }),
    {
      provide: StatementSigner,
      inject: [ServingIndex, SignedStatements, StateStore, MESSAGING, SETTINGS, CLOCK, LOGGER],
      useFactory: (
        index: ServingIndex,
        statements: SignedStatements,
        state: StateStore,
        messaging: Messaging,
        { manifestTtlHours: ttlHours }: DeviceUpdatesSettings,
        clock: Clock,
        logger: Logger,
      ) => {
        const sign = async (appId: number, digest: string) => {
          const caller = { actor: 'system:statement-signer', commandId: newCommandId() };
          return (await messaging.request(signDigest, { appId, digest }, caller)).signatures;
        };
        return new StatementSigner({ index, statements, state, messaging, sign, ttlHours, clock, logger });
      },
    },
    {
      provide: DeviceHashes,
      inject: [VAULT, CLOCK],
      useFactory: async (vault: Vault, clock: Clock) =>
        new DeviceHashes({ keys: await vault.dataKeys('device-id' satisfies DataKeyName), clock }),
    },
    {
      provide: KeyUsage,
      inject: [StateStore, MESSAGING, LOGGER],
      useFactory: (state: StateStore, messaging: Messaging, logger: Logger) => {
        const record = async (uses: ApiKeyUse[]) => {
          const caller = { actor: 'system:device-updates', commandId: newCommandId() };
          return (await messaging.request(recordApiKeyUse, { uses }, caller, { timeoutMs: 2_000 })).recorded;
        };
        return new KeyUsage({ state, record, logger });
      },
    },
    provide(ReportBudgets, { state: StateStore, clock: CLOCK, settings: SETTINGS, logger: LOGGER }),
    provide(DeviceReports, { state: StateStore, clock: CLOCK, budgets: ReportBudgets }),
    {
      provide: DiskFloor,
      inject: [SETTINGS, LOGGER],
      useFactory: ({ stateStoreUrl, minFreeDiskBytes }: DeviceUpdatesSettings, logger: Logger) =>
        new DiskFloor({
          folder: stateStoreUrl.startsWith('sqlite:') ? dirname(stateStoreUrl.slice('sqlite:'.length)) : undefined,
          minFreeBytes: minFreeDiskBytes,
          logger,
        }),
    },
    provide(CheckCounts, { state: StateStore, clock: CLOCK, logger: LOGGER }),
    provide(LatestReports, { state: StateStore, clock: CLOCK }),
    provide(ReportCounts, { state: StateStore, clock: CLOCK }),
    provide(NewestBuildOutcomes, { index: ServingIndex, counts: ReportCounts, clock: CLOCK }),
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
