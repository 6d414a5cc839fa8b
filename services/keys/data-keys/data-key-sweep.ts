import { Inject, Injectable } from '@nestjs/common';
import { PeriodicTask, REPORT, type Report } from '@sluice/service-host';
import { DataKeys } from './data-keys';

const LOOK_EVERY_MS = 60_000;

/** Deletes the versions of data keys that nothing needs any more. Any number of replicas may sweep. */
@Injectable()
export class DataKeySweep extends PeriodicTask {
  constructor(dataKeys: DataKeys, @Inject(REPORT) report: Report) {
    super({
      everyMs: LOOK_EVERY_MS,
      firstAfterMs: 0,
      run: async () => {
        const dropped = await dataKeys.sweep();
        if (dropped.length > 0) report(`Deleted former versions of data keys: ${dropped.join(', ')}`);
      },
      fault: 'Former versions of data keys could not be deleted; the next sweep tries again',
      report,
    });
  }
}
