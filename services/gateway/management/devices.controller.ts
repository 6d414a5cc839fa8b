import { Inject } from '@nestjs/common';
import {
  appHealthSchema,
  explainUpdate,
  forgetDevice,
  getAdoption,
  getBuildFiles,
  getBuildStats,
  getDevice,
  getHealth,
  listDeviceReports,
} from '@sluice/contracts';
import { CLOCK, type Clock } from '@sluice/service-host';
import { pageQuery } from '@sluice/http';
import { hasCharacters, VALIDATION_FAILED, ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { one } from '@sluice/openapi';
import type { z } from 'zod';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes } from '../http/route';
import { AppChannels } from './app-channels';
import { daysOf, daysQuery, explainQuery, filesQuery, MAX_DEVICE_ID_LENGTH } from './adoption';

@Routes('Adoption', 'What devices report, and which builds they are offered.')
export class DevicesController {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly channels: AppChannels,
  ) {}

  @ManagementRoute('GET', 'apps/:app/adoption', {
    summary: 'Count active devices by day, version, platform and native version',
    description:
      'Days are UTC. A device counts once a day, by the last version, platform and native version that it reported that day. A report names no channel.',
    query: [daysQuery],
    call: getAdoption,
    raw: true,
    answers: { 200: 'The days, with the active devices of each.' },
    refusals: [VALIDATION_FAILED],
  })
  getAdoption = ({ app }: RequestContext, days: z.output<typeof daysQuery>) => ({
    appId: app.id,
    ...daysOf(days, this.clock),
  });

  @ManagementRoute('GET', 'apps/:app/health', {
    summary: 'Judge the current builds of an app by the reports of devices',
    description:
      'The builds that devices may get, and the recalled ones: of each channel at most 5 active, 3 that replace recalled builds and 3 recalled ones, of the app at most 60. The numbers are up to a few seconds old.',
    answers: { 200: one(appHealthSchema, 'The devices of the app, and the builds with their health.') },
  })
  async getHealth({ app, caller }: RequestContext) {
    const [health] = await this.messaging.request(getHealth, { apps: [app.id] }, caller);
    return health;
  }

  @ManagementRoute('GET', 'apps/:app/builds/:build/stats', {
    summary: 'Get the adoption of a build',
    description:
      'Each number counts devices, each once; `checks` are those of the channel on days on which the build was first offered to a device, or reported. `checks` and `offered` are approximate.',
    query: [daysQuery],
    call: getBuildStats,
    raw: true,
    answers: { 200: 'Totals, and the requested days.' },
  })
  getBuildStats = (context: RequestContext, days: z.output<typeof daysQuery>) => ({
    appId: context.app.id,
    ...daysOf(days, this.clock),
    id: context.id('build'),
  });

  @ManagementRoute('GET', 'apps/:app/builds/:build/files', {
    summary: 'Compare the files of a build with those of another build',
    description:
      'Returns 503 with Retry-After while the files are being indexed, which begins when the build is uploaded, and 404 `NOT_FOUND` if the build has too many files (their index has more than 8 MiB, about 30,000 files), or is encrypted.',
    query: [filesQuery],
    call: getBuildFiles,
    answers: { 200: 'The numbers of files, the changes of the biggest files, and the biggest files.' },
  })
  getBuildFiles = (context: RequestContext, { compare }: z.output<typeof filesQuery>) => ({
    appId: context.app.id,
    ...{ id: context.id('build'), compare },
  });

  @ManagementRoute('GET', 'apps/:app/explain', {
    summary: 'Explain which build a device would be offered, and why not each newer one',
    description:
      'Evaluated now, by the rules of an update check. If the device has chosen a channel itself, this is the channel, also if the request names another one.',
    query: [explainQuery],
    allErrors: async ({ channels }: DevicesController, { app, caller }, { channel }, errors) => ({
      ...errors,
      ...(await channels.errorsOf(app.id, channel, 'channel', caller)),
    }),
    call: explainUpdate,
    raw: true,
    answers: { 200: 'The selected build and the reasons.' },
  })
  async explainUpdate({ app, caller }: RequestContext, query: z.output<typeof explainQuery>) {
    const { device: deviceId, app_version: appVersion, embedded_version: embeddedVersion, ...more } = query;
    const { attributes, ...asked } = more;
    const { channel: name } = asked;
    const unnamed = name === undefined;
    const channel = unnamed ? 'production' : await this.channels.find(app.id, name, 'channel', caller);
    const chosen = { channel, ...(unnamed && { unnamed }) };
    const sent = { ...asked, ...chosen, attributes: pairsOf(attributes) };
    return { appId: app.id, deviceId, appVersion, embeddedVersion, ...sent };
  }

  // Needs no permission, because it changes no build, app or key.
  @ManagementRoute('GET', 'apps/:app/devices/:device', {
    summary: 'Get the stored state of a device',
    description:
      'The last reported state, stored for `DEVICE_STATE_DAYS` after that report, the channel that the device has chosen, and the number of stored reports. Together with the list of these reports, this is everything that is stored about the device. `state` is null if the device never reported.',
    call: getDevice,
    answers: { 200: 'The device.' },
    refusals: [VALIDATION_FAILED],
  })
  getDevice = deviceOf;

  @ManagementRoute('GET', 'apps/:app/devices/:device/reports', {
    summary: 'List the stored reports of a device',
    description: 'Each distinct report once, with the time at which it was first received.',
    query: [pageQuery],
    call: listDeviceReports,
  })
  listDeviceReports = (context: RequestContext, page: z.output<typeof pageQuery>) => ({
    ...page,
    ...deviceOf(context),
  });

  @ManagementRoute('DELETE', 'apps/:app/devices/:device', {
    summary: 'Delete everything that is stored about a device',
    description:
      'Deletes its reports and its state, its pins, the channel that it has chosen, and its places in device groups. Totals of past days identify no device and do not change.',
    call: forgetDevice,
    answers: { 200: 'How many reports were deleted.' },
    refusals: [VALIDATION_FAILED],
  })
  forgetDevice = deviceOf;
}

const pairsOf = (text = '') => Object.fromEntries(new URLSearchParams(text));

/** @throws ValidationError */
function deviceOf(context: RequestContext) {
  const deviceId = context.param('device');
  if (hasCharacters(deviceId, 0, MAX_DEVICE_ID_LENGTH)) return { appId: context.app.id, deviceId };
  throw new ValidationError({ device: [`The device must have at most ${MAX_DEVICE_ID_LENGTH} characters.`] });
}
