import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  type Caller,
  DATA_KEY_NAMES,
  type DataKeyName,
  type dataKeySchema,
  listDataKeys,
  type RequestOf,
  resealSecrets,
  rotateDataKeys,
} from '@sluice/contracts';
import type { Clock, Logger } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { CLOCK, PeriodicTask, LOGGER } from '@sluice/service-host';
import { VAULT, type Vault } from '@sluice/vault';
import type { z } from 'zod';

interface DataKeyUse {
  /** For how long what the key made is in use, in seconds. */
  readonly lifetime: (settings: Settings) => number;
  readonly consequence: string;
}

const DAY = 86_400;

const USES: Readonly<Record<DataKeyName, DataKeyUse>> = {
  'download-url': {
    lifetime: ({ downloadUrlTtlSeconds }) => downloadUrlTtlSeconds,
    consequence:
      'New download URLs are signed with the new version. URLs of the former version stay valid until it is deleted, forged ones too.',
  },
  sessions: {
    lifetime: ({ sessionMaxSeconds }) => sessionMaxSeconds,
    consequence: 'New sessions use the new version. Sessions of today continue until they end, unless you end them.',
  },
  'device-id': {
    // A row is deleted a day after its last day, and the day it was written on may have lasted another.
    lifetime: ({ reportRetentionDays, deviceStateDays }) => (Math.max(reportRetentionDays, deviceStateDays) + 2) * DAY,
    consequence:
      'Reports of devices are stored under new hashes, beginning two minutes after the rotation. A device counts once and can be forgotten as long as the former version is kept; until then each report costs one more look-up. Pins of devices end with the version under which they were stored. So do the devices of groups: upload these again before.',
  },
  'oauth-verifiers': {
    lifetime: () => 600,
    consequence:
      'New connections to Google Merchant Center use the new version. Connections that were begun can be completed.',
  },
};

/** Added to each lifetime: for processes that have not read the new version yet, and for clocks that differ. */
const MARGIN_SECONDS = 600;

const SWEEP_EVERY_MS = 60_000;

/**
 * The versions of the vault's data keys, and how long each is kept. Those that nothing needs any more are deleted; any
 * number of replicas may do so.
 */
@Injectable()
export class DataKeys extends PeriodicTask {
  constructor(
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({
      everyMs: SWEEP_EVERY_MS,
      firstAfterMs: 0,
      run: async () => {
        const dropped = await this.sweep();
        if (dropped.length > 0) logger.warn(`Deleted former versions of data keys: ${dropped.join(', ')}`);
      },
      fault: 'Former versions of data keys could not be deleted; the next sweep tries again',
      logger,
    });
  }

  @HandlesQuery(listDataKeys)
  async listAll() {
    return { keys: await this.list() };
  }

  @HandlesCommand(rotateDataKeys)
  async rotateNamed({ names }: RequestOf<typeof rotateDataKeys>, caller: Caller) {
    const keys = await this.rotate(names);
    this.logger.warn(`Data keys were rotated by ${caller.actor}: ${keys.map(({ name }) => name).join(', ')}`);
    return { keys };
  }

  @HandlesCommand(resealSecrets)
  async reseal({ after }: RequestOf<typeof resealSecrets>) {
    const { failed, ...part } = await this.vault.reseal(after === undefined ? {} : { after });
    return { ...part, failed: [...failed] };
  }

  /** As the store holds them now. */
  list(names: readonly DataKeyName[] = DATA_KEY_NAMES): Promise<z.infer<typeof dataKeySchema>[]> {
    return Promise.all(
      names.map(async (name) => {
        const keys = await this.vault.dataKeys(name);
        await keys.refresh();
        const versions = keys.held.map(({ version, madeAt }) => ({
          version,
          made_at: version === 1 ? null : new Date(madeAt).toISOString(),
        }));
        const { consequence } = USES[name];
        return { name, versions, former_kept_seconds: this.keptSeconds(name), consequence };
      }),
    );
  }

  /** @throws DomainError TOO_MANY_DATA_KEY_VERSIONS, and then none is rotated */
  async rotate(names: readonly DataKeyName[] = DATA_KEY_NAMES): Promise<z.infer<typeof dataKeySchema>[]> {
    const each = [...new Set(names)];
    await this.vault.rotateDataKeys(each);
    return this.list(each);
  }

  /** Deletes the versions that nothing needs any more; answers which, such as `sessions:1`. */
  async sweep(): Promise<string[]> {
    const dropped = await Promise.all(
      DATA_KEY_NAMES.map(async (name) => {
        const replacedBefore = this.clock.now().getTime() - this.keptSeconds(name) * 1_000;
        return (await this.vault.dropDataKeys(name, replacedBefore)).map((version) => `${name}:${version}`);
      }),
    );
    return dropped.flat();
  }

  private keptSeconds(name: DataKeyName): number {
    return USES[name].lifetime(this.settings) + MARGIN_SECONDS;
  }
}
