import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SETTINGS } from '@sluice/config';
import type { DataKeyName } from '@sluice/contracts';
import { ReadStore, StateStore } from '@sluice/document-store';
import { EVENT_STORE } from '@sluice/event-store';
import { MESSAGING, serveHandlers } from '@sluice/messaging';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { CLOCK, type Clock, LOGGER, type Logger, provide, PUBLIC_URL, REPLICA_POSITIONS } from '@sluice/service-host';
import { newestBuilds, statements as statementMetrics } from '@sluice/telemetry';
import { VAULT, type Vault } from '@sluice/vault';
import { DeviceLimits, deviceLimitsOf } from './access/device-limits';
import { KeyUsage } from './access/key-usage';
import { ChoiceStore } from './channels/choice-store';
import { DownloadUrls } from './downloads/download-urls';
import { BuildFilesHandlers } from './files/build-files.handlers';
import { FileIndexes, fileAddressKey } from './files/file-indexes';
import { DescribeDevicePlane } from './http/describe-device-plane.handler';
import { PinHandlers } from './pins/pin.handlers';
import { PinStore } from './pins/pin-store';
import { BuildCountsHandlers } from './reports/build-counts';
import { NewestBuildOutcomes } from './reports/build-outcomes';
import { ChannelStatisticsSweep } from './reports/channel-statistics-sweep';
import { CheckCounts } from './reports/check-counts';
import { DeviceHashes } from './devices/device-hashes';
import { GroupErasure } from './groups/group-erasure';
import { GroupHandlers } from './groups/group.handlers';
import { GroupLoader } from './groups/group-loader';
import { GroupsCloser } from './groups/groups-closer';
import { GroupsSweep } from './groups/groups-sweep';
import { DeviceReports } from './reports/device-reports';
import { DeviceHandlers } from './reports/device.handlers';
import { DiskFloor } from './reports/disk-floor';
import { GateHandlers } from './reports/gate.handlers';
import { LatestReports } from './reports/latest-reports';
import { RemovedAppSweep } from './reports/removed-app-sweep';
import { ReportBudgets } from './reports/report-budgets';
import { ReportCounts } from './reports/report-counts';
import { ReportRetention } from './reports/report-retention';
import { RunningDevices } from './reports/running-devices';
import { RolledBackDevices } from './reports/rolled-back-devices';
import { StatsHandlers } from './reports/stats.handlers';
import { Explanations } from './serving/explanations';
import { ServingIndex } from './serving/serving-index';
import { SignedStatements } from './signing/signed-statements';
import { StatementSigner } from './signing/statement-signer';
import { UpdateAnswers } from './update-check/update-answers';

const tokenOf = (name: DataKeyName): string => `data-key:${name}`;
const dataKeys = (name: DataKeyName) => ({
  ...{ provide: tokenOf(name), inject: [VAULT], useFactory: (vault: Vault) => vault.dataKeys(name) },
});
const { controllers, providers } = serveHandlers(
  BuildCountsHandlers,
  BuildFilesHandlers,
  DescribeDevicePlane,
  DeviceHandlers,
  Explanations,
  GateHandlers,
  GroupHandlers,
  PinHandlers,
  StatsHandlers,
);

@Module({
  imports: [CqrsModule],
  controllers,
  providers: [
    ...providers,
    RemovedAppSweep,
    ChannelStatisticsSweep,
    GroupErasure,
    GroupsCloser,
    GroupsSweep,
    ReportRetention,
    UpdateAnswers,
    provide(ServingIndex, { events: EVENT_STORE, documents: ReadStore, members: REPLICA_POSITIONS, logger: LOGGER }),
    {
      provide: GroupLoader,
      inject: [ServingIndex, OBJECT_STORE, LOGGER],
      useFactory: (index: ServingIndex, objects: ObjectStore, logger: Logger) =>
        new GroupLoader({ groups: index.builds.groups, objects, logger }),
    },
    dataKeys('download-url'),
    provide(DownloadUrls, { keys: tokenOf('download-url'), settings: SETTINGS, publicUrl: PUBLIC_URL, clock: CLOCK }),
    {
      provide: FileIndexes,
      inject: [OBJECT_STORE, VAULT, PUBLIC_URL],
      useFactory: async (objects: ObjectStore, vault: Vault, publicUrl: () => string) =>
        new FileIndexes({ objects, key: await fileAddressKey(vault), publicUrl }),
    },
    { provide: DeviceLimits, inject: [SETTINGS], useFactory: deviceLimitsOf },
    provide(SignedStatements, {
      ...{ index: ServingIndex, state: StateStore, messaging: MESSAGING, clock: CLOCK, logger: LOGGER },
    }),
    provide(StatementSigner, {
      ...{ index: ServingIndex, statements: SignedStatements, state: StateStore, messaging: MESSAGING },
      ...{ settings: SETTINGS, clock: CLOCK, logger: LOGGER },
    }),
    dataKeys('device-id'),
    provide(DeviceHashes, { keys: tokenOf('device-id'), clock: CLOCK }),
    provide(KeyUsage, { state: StateStore, messaging: MESSAGING, logger: LOGGER }),
    provide(ReportBudgets, { state: StateStore, clock: CLOCK, settings: SETTINGS, logger: LOGGER }),
    provide(RolledBackDevices, {
      ...{ index: ServingIndex, events: EVENT_STORE, state: StateStore, messaging: MESSAGING },
      ...{ clock: CLOCK, logger: LOGGER },
    }),
    provide(PinStore, {
      ...{ index: ServingIndex, state: StateStore, messaging: MESSAGING, clock: CLOCK, logger: LOGGER },
    }),
    provide(ChoiceStore, {
      ...{ index: ServingIndex, events: EVENT_STORE, state: StateStore, messaging: MESSAGING },
      ...{ clock: CLOCK, logger: LOGGER },
    }),
    provide(DeviceReports, {
      ...{ state: StateStore, clock: CLOCK, budgets: ReportBudgets, messaging: MESSAGING },
      ...{ rolledBack: RolledBackDevices, logger: LOGGER },
    }),
    provide(DiskFloor, { settings: SETTINGS, logger: LOGGER }),
    {
      provide: CheckCounts,
      inject: [StateStore, CLOCK, LOGGER, VAULT],
      useFactory: async (state: StateStore, clock: Clock, logger: Logger, vault: Vault) =>
        new CheckCounts({ state, clock, logger, key: await fileAddressKey(vault) }),
    },
    provide(LatestReports, { state: StateStore, clock: CLOCK }),
    provide(RunningDevices, { state: StateStore, index: ServingIndex, clock: CLOCK, settings: SETTINGS }),
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
    @Inject(RolledBackDevices) private readonly rolledBack: RolledBackDevices,
    @Inject(GroupLoader) private readonly groups: GroupLoader,
    @Inject(PinStore) private readonly pins: PinStore,
    @Inject(ChoiceStore) private readonly choices: ChoiceStore,
    @Inject(NewestBuildOutcomes) private readonly outcomes: NewestBuildOutcomes,
  ) {}

  /** The module has started once the index is loaded. */
  async onApplicationBootstrap(): Promise<void> {
    await this.disk.start();
    // Before the index is ready, and with it this process.
    await Promise.all([this.rolledBack.open(), this.pins.open(), this.choices.open()]);
    // The index reads these rows; as events in addition to the projection they would take twice the memory.
    await this.projections.caughtUpOrStopped;
    await this.index.open();
    await this.groups.open();
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
    await this.rolledBack.close();
    await this.groups.close();
    await this.pins.close();
    await this.choices.close();
    await this.index.close();
  }
}
