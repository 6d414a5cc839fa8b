import { Inject } from '@nestjs/common';
import {
  explainUpdate,
  forgetDevice,
  getAdoption,
  getBuildStats,
  getDevice,
  listDeviceReports,
} from '@sluice/contracts';
import { CLOCK, type Clock } from '@sluice/service-host';
import { pageQuery } from '@sluice/http';
import { hasCharacters, VALIDATION_FAILED, ValidationError } from '@sluice/kernel';
import type { z } from 'zod';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes } from '../http/route';
import { daysOf, daysQuery, explainQuery, MAX_DEVICE_ID_LENGTH } from './adoption';

@Routes('Adoption', 'What devices report, and what they are offered.')
export class DevicesController {
  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  @ManagementRoute('GET', 'apps/:app/adoption', {
    summary: 'Active devices by day, version, platform and native version',
    description:
      'Days are UTC. In `total` a device counts once a day, in `versions` once for each version that it reports that day. A report names no channel.',
    query: [daysQuery],
    call: getAdoption,
    raw: true,
    answers: { 200: 'The days, and what was active on each.' },
    refusals: [VALIDATION_FAILED],
  })
  getAdoption = ({ app }: RequestContext, days: z.output<typeof daysQuery>) => ({
    appId: app.id,
    ...daysOf(days, this.clock),
  });

  @ManagementRoute('GET', 'apps/:app/builds/:build/stats', {
    summary: 'What became of a build',
    description:
      'Of reports each device counts once. `checks` are those of the channel on days on which the build was offered or reported; they and `offered` are approximate.',
    query: [daysQuery],
    call: getBuildStats,
    raw: true,
    answers: { 200: 'Totals, and the days asked for.' },
  })
  getBuildStats = (context: RequestContext, days: z.output<typeof daysQuery>) => ({
    appId: context.app.id,
    ...daysOf(days, this.clock),
    id: context.id('build'),
  });

  @ManagementRoute('GET', 'apps/:app/explain', {
    summary: 'Which build a device would be offered, and why not each newer one',
    description: 'Judged as an update check would be, at this moment.',
    query: [explainQuery],
    call: explainUpdate,
    raw: true,
    answers: { 200: 'The choice and its reasons.' },
  })
  explainUpdate({ app }: RequestContext, query: z.output<typeof explainQuery>) {
    const { device: deviceId, app_version: appVersion, ...asked } = query;
    return { appId: app.id, deviceId, appVersion, ...asked };
  }

  // No permission: it takes no build, app or key from anybody.
  @ManagementRoute('GET', 'apps/:app/devices/:device', {
    summary: 'What is kept of a device',
    description:
      'What it last reported, kept for `DEVICE_STATE_DAYS` after that, and how many of its reports are kept. With the list of these reports it is all that is kept of the device. Of a device that never reported, `state` is null.',
    call: getDevice,
    answers: { 200: 'The device.' },
    refusals: [VALIDATION_FAILED],
  })
  getDevice = deviceOf;

  @ManagementRoute('GET', 'apps/:app/devices/:device/reports', {
    summary: 'The reports of a device that are kept',
    description: 'Each thing that it reported, once, with the time of the first such report.',
    query: [pageQuery],
    call: listDeviceReports,
  })
  listDeviceReports = (context: RequestContext, page: z.output<typeof pageQuery>) => ({
    ...page,
    ...deviceOf(context),
  });

  @ManagementRoute('DELETE', 'apps/:app/devices/:device', {
    summary: 'Delete all that is kept of a device',
    description:
      'Its reports and its state are deleted. Totals of days that are over name no device, and stay as they are.',
    call: forgetDevice,
    answers: { 200: 'How many reports were deleted.' },
    refusals: [VALIDATION_FAILED],
  })
  forgetDevice = deviceOf;
}

/** @throws ValidationError */
function deviceOf(context: RequestContext) {
  const deviceId = context.param('device');
  if (hasCharacters(deviceId, 0, MAX_DEVICE_ID_LENGTH)) return { appId: context.app.id, deviceId };
  throw new ValidationError({ device: [`The device must have at most ${MAX_DEVICE_ID_LENGTH} characters.`] });
}
