import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { forgetDevice, type ReplyOf } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { CommandOf } from '@sluice/messaging';
import { beginningWith } from './domain/report';
import { DeviceHashes } from './device-hashes';
import { deviceReports, idsOf } from './device-reports';
import { deviceStates, stateIdOf } from './device-states';

export class ForgetDevice extends CommandOf(forgetDevice) {}

@CommandHandler(ForgetDevice)
export class ForgetDeviceHandler implements ICommandHandler<ForgetDevice> {
  constructor(
    private readonly state: StateStore,
    private readonly hashes: DeviceHashes,
  ) {}

  async execute({ request: { appId, deviceId } }: ForgetDevice): Promise<ReplyOf<typeof forgetDevice>> {
    let deleted = 0;
    for (const device of await this.hashes.all(appId, deviceId)) {
      const where = { id: beginningWith(idsOf(appId, device)) };
      deleted += await this.state.rows(deviceReports).deleteWhere(where);
      await this.state.rows(deviceStates).delete(stateIdOf(appId, device));
    }
    return { deleted };
  }
}
