import { describeDevicePlane } from '@sluice/contracts';
import { HandlesQuery } from '@sluice/messaging';
import { describePlane } from '@sluice/openapi';
import { devicePlane } from './openapi';

export class DescribeDevicePlane {
  @HandlesQuery(describeDevicePlane)
  describe() {
    return { ...describePlane(devicePlane) };
  }
}
