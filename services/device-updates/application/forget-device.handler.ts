import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { forgetDevice, ReplyOf, RequestOf } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { beginningWith } from '../domain/report';
import { DeviceHashes } from './device-hashes';
import { deviceReports, idsOf } from './device-reports';
import { deviceStates, stateIdOf } from './device-states';

export class ForgetDevice extends Command<ReplyOf<typeof forgetDevice>> {
  constructor(readonly request: RequestOf<typeof forgetDevice>) {
    super();
  }
}

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
