import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PeriodicTask } from '@sluice/service-host';
import { UnavailableError, type Logger } from '@sluice/kernel';
import { diskFree } from '@sluice/telemetry';
import type { DeviceUpdatesSettings } from '../config/device-updates.settings';

export interface DiskFloorOptions {
  /** The disk of an embedded state store is watched; other engines keep reports elsewhere. */
  readonly settings: Pick<DeviceUpdatesSettings, 'stateStoreUrl' | 'minFreeDiskBytes'>;
  readonly logger: Logger;
  /** For tests. Default: of `node:fs`. */
  readonly free?: (folder: string) => Promise<DiskSpace>;
}

export interface DiskSpace {
  /** Bytes that the process may still use. */
  readonly free: number;
  readonly size: number;
}

const LOOK_EVERY_MS = 2_000;
const RETRY_AFTER_SECONDS = 60;
const GIBIBYTE = 2 ** 30;
const SHARE = 0.05;

/**
 * Keeps the last of a disk for events: below the floor, reports of devices are rejected, which anybody with an app's
 * key can send. Looks at the disk every 2 s.
 */
export class DiskFloor {
  private low = false;
  private readonly folder: string | undefined;
  private readonly looks: PeriodicTask;

  constructor(private readonly options: DiskFloorOptions) {
    const { stateStoreUrl } = options.settings;
    this.folder = stateStoreUrl.startsWith('sqlite:') ? dirname(stateStoreUrl.slice('sqlite:'.length)) : undefined;
    this.looks = new PeriodicTask({
      everyMs: () => LOOK_EVERY_MS,
      run: () => this.look(),
      fault: 'The free space of the disk could not be read',
      logger: options.logger,
    });
  }

  async start(): Promise<void> {
    if (this.folder === undefined) return;
    await this.looks.runNow();
    this.looks.start();
  }

  stop(): Promise<void> {
    return this.looks.stop();
  }

  /** @throws UnavailableError when less is free than the floor */
  check(): void {
    if (!this.low) return;
    throw new UnavailableError(
      'The server is short of disk space and stores no reports of devices. Send it again later.',
      RETRY_AFTER_SECONDS,
      'no',
    );
  }

  /** Looks at the disk now. @throws when it can't be read; what was known stays */
  async look(): Promise<void> {
    const { settings, logger, free: look = diskSpace } = this.options;
    if (this.folder === undefined) return;
    const { free, size } = await look(this.folder);
    const floor = settings.minFreeDiskBytes ?? Math.min(GIBIBYTE, SHARE * size);
    diskFree.set(free);
    const low = free < floor;
    if (low && !this.low) {
      logger.warn(
        `Only ${free} bytes are free on the disk, fewer than ${Math.ceil(floor)}: reports of devices are rejected`,
      );
    }
    if (!low && this.low) logger.warn('The disk has enough space again: reports of devices are stored');
    this.low = low;
  }
}

async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}
