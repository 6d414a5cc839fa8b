import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { describeDevicePlane, type ReplyOf } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { describePlane } from '@sluice/openapi';
import { devicePlane } from './openapi';

export class DescribeDevicePlane extends QueryOf(describeDevicePlane) {}

@QueryHandler(DescribeDevicePlane)
export class DescribeDevicePlaneHandler implements IQueryHandler<DescribeDevicePlane> {
  execute(): Promise<ReplyOf<typeof describeDevicePlane>> {
    return Promise.resolve({ ...describePlane(devicePlane) });
  }
}
