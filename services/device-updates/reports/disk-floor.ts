import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PeriodicTask } from '@sluice/service-host';
import { UnavailableError, type Logger } from '@sluice/kernel';
import { diskFree } from '@sluice/telemetry';
import type { DeviceUpdatesSettings } from '../config/device-updates.settings';

export interface DiskFloorOptions {
  /** Only for an embedded state store: with other engines, reports are on another disk. */
  readonly settings: Pick<DeviceUpdatesSettings, 'stateStoreUrl' | 'minFreeDiskBytes'>;
  readonly logger: Logger;
  /** For tests. Default: that of `node:fs`. */
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
 * Reserves the last free space of a disk for events. Below the floor, device reports are rejected, because anyone with
 * an app's key can send them. Checks the disk every 2 s.
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
      fault: 'Could not read the free disk space',
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

  /** @throws UnavailableError if less is free than the floor */
  check(): void {
    if (!this.low) return;
    throw new UnavailableError(
      'The server is low on disk space and rejects device reports. Send the report again later.',
      RETRY_AFTER_SECONDS,
      'no',
    );
  }

  /** Reads the disk now. @throws when it can't be read; the last known state stays */
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
