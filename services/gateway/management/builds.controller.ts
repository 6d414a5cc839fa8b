import { Inject } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  acceptBuild,
  BUNDLE_OBJECTS,
  type Caller,
  changeRollout,
  countDevicesOnVersions,
  deleteBuild,
  editBuild,
  getBuild,
  getRecall,
  listBuilds,
  openingPercentage,
  previewRetention,
  promoteBuild,
  recallBuild,
  retryBuild,
  toValidationError,
  unrecallBuild,
} from '@sluice/contracts';
import { CLOCK, PUBLIC_URL, type Clock, type PublicUrl } from '@sluice/service-host';
import { pageQuery } from '@sluice/http';
import { newUlid, VALIDATION_FAILED, ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { z } from 'zod';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes } from '../http/route';
import { StorageLimit } from '../limits/storage-limit';
import type { ReceivedForm } from '../uploads/upload';
import { Uploads } from '../uploads/uploads';
import { AppChannels } from './app-channels';
import { AudienceNames } from './audience-names';
import { ifMatchHeader, ifRevision, tagged } from './if-match';
import { asOfQuery, notInFuture } from './as-of';
import { type PlanChoice, PlanChoices } from './plan-choice';
import { jobUrl } from './jobs.controller';
import {
  editBuildBody,
  listBuildsQuery,
  promoteBody,
  recallBody,
  retentionQuery,
  rolloutBody,
  uploadFields,
} from './schemas';

const uploadAnswer = acceptBuild.reply.omit({ objectKey: true }).extend({ status_url: z.url() });

interface Rollout {
  readonly plan?: PlanChoice | undefined;
  readonly rollout_percentage?: number | undefined;
}

const deviceCount = z.int().min(0);
const recallStatusSchema = getRecall.reply.extend({
  devices: z
    .object({ on_recalled: deviceCount, on_replacement: deviceCount })
    .meta({ description: 'How many devices last reported the version, and how many the one that replaces it.' }),
});

const buildOf = (context: RequestContext) => ({ appId: context.app.id, id: context.id('build') });

@Routes('Builds', 'Bundles, their channels and rollouts.')
export class BuildsController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly uploads: Uploads,
    private readonly storage: StorageLimit,
    private readonly choices: PlanChoices,
    private readonly channels: AppChannels,
    private readonly audiences: AudienceNames,
  ) {}

  @ManagementRoute('GET', 'apps/:app/builds', {
    summary: 'List builds, newest first',
    query: [pageQuery, listBuildsQuery, asOfQuery],
    allErrors: async ({ channels }: BuildsController, { app, caller }, { channel }, errors) => ({
      ...errors,
      ...(await channels.errorsOf(app.id, channel, 'channel', caller)),
    }),
    call: listBuilds,
  })
  async listBuilds(
    { app, caller }: RequestContext,
    {
      as_of,
      channel: name,
      ...filter
    }: z.output<typeof pageQuery> & z.output<typeof listBuildsQuery> & z.output<typeof asOfQuery>,
  ) {
    const asOf = notInFuture(as_of, this.clock);
    const channel = name === undefined ? undefined : await this.channels.find(app.id, name, 'channel', caller);
    return { ...filter, channel, asOf, appId: app.id };
  }

  /** Streams the bundle into the object store first, and deletes it if the upload is rejected. */
  @ManagementRoute('POST', 'apps/:app/builds', {
    limit: 'uploads',
    summary: 'Upload a bundle',
    description:
      'The build is not live yet. Poll the job at status_url about every 5 seconds until it is completed or failed. A plan is set once the build is active; until then the build is offered to no more devices than in its first step.',
    form: uploadFields,
    answers: { 202: one(uploadAnswer, 'Stored; its job is queued.') },
    refusals: [
      ...['VERSION_ALREADY_EXISTS', 'VERSION_NOT_NEWER', 'STORAGE_LIMIT_REACHED', 'UPLOAD_FAILED'],
      ...['PLAN_TEMPLATE_NOT_FOUND', 'CHANNEL_NOT_FOUND', 'UPGRADE_NOT_FINISHED'],
    ],
  })
  async uploadBuild({ request, app, access }: RequestContext) {
    const { maxBundleBytes } = this.settings;
    const room = await this.storage.makeRoom(request, app.ownerId, maxBundleBytes, access.caller);
    const { maxBytes, tooLarge, release } = room;
    try {
      const target = { maxBytes, tooLarge, objectKey: `${BUNDLE_OBJECTS}${newUlid()}.zip` };
      const { job_id, build } = await this.uploads.take(request, target, {
        read: async (form) => {
          const further = () => this.channels.errorsOf(app.id, form.fields['channel'], 'channel', access.caller);
          const { fields, file } = await readUpload(form, further);
          const channel = await this.channels.find(app.id, fields.channel, 'channel', access.caller);
          return { fields: { ...fields, channel }, file };
        },
        accept: async ({ fields, file }, caller) => {
          const { plan, rolloutPercentage } = await this.rolloutOf(app.id, fields, caller);
          const names = await this.audiences.namesFor(app, fields.audience, caller);
          return this.messaging.request(
            acceptBuild,
            {
              appId: app.id,
              channel: fields.channel,
              version: fields.version,
              objectKey: file.key,
              size: file.size,
              checksum: file.sha256,
              signature: fields.signature ?? null,
              releaseNotes: fields.release_notes ?? null,
              minNativeVersion: fields.min_native_version ?? null,
              nativeRange: fields.native_range,
              fingerprint: fields.fingerprint,
              platform: fields.platform,
              delivery: fields.delivery,
              rolloutPercentage: rolloutPercentage ?? 100,
              mandatory: fields.mandatory,
              ring: fields.ring,
              audience: fields.audience,
              names,
              plan,
              uniqueSignatures: app.uniqueSignatures,
              metadata: fields.metadata,
            },
            caller,
          );
        },
      });
      return { job_id, status_url: jobUrl(this.publicUrl, access, job_id), build };
    } finally {
      release();
    }
  }

  @ManagementRoute('GET', 'apps/:app/retention', {
    summary: 'Preview the builds that retention would delete now',
    description:
      'Deletes nothing. keep_builds replaces the number of builds that are kept per channel; by default the number in force. Retention never deletes a build that a device may be offered, the head of a channel, a build that is being checked, or one that changed within BUILD_RETENTION_GRACE_SECONDS.',
    query: [retentionQuery],
    call: previewRetention,
    raw: true,
    answers: { 200: 'The builds, and the bytes that their deletion would free.' },
    refusals: [VALIDATION_FAILED],
  })
  previewRetention = ({ app }: RequestContext, { keep_builds: keepBuilds }: z.output<typeof retentionQuery>) => ({
    appId: app.id,
    keepBuilds: keepBuilds ?? app.keepBuilds,
  });

  @ManagementRoute('GET', 'apps/:app/builds/:build', {
    summary: 'One build',
    query: [asOfQuery],
    call: getBuild,
    raw: true,
    ...tagged(getBuild, 200, 'The build.'),
  })
  getBuild = (context: RequestContext, { as_of }: z.output<typeof asOfQuery>) => ({
    appId: context.app.id,
    asOf: notInFuture(as_of, this.clock),
    id: context.id('build'),
  });

  @ManagementRoute('PATCH', 'apps/:app/builds/:build', {
    mayNarrow: true,
    summary: 'Pause, resume, archive or edit a build',
    description:
      'Omitted members keep their values. Setting min_native_version clears native_range, and setting native_range clears min_native_version.',
    headers: ifMatchHeader,
    body: editBuildBody,
    call: editBuild,
    ...tagged(editBuild, 200, 'The updated build.'),
  })
  async editBuild(context: RequestContext, changes: z.output<typeof editBuildBody>) {
    const { status, release_notes: releaseNotes, fingerprint, mandatory, audience } = changes;
    const { min_native_version: minNativeVersion, native_range: nativeRange } = changes;
    const native = { minNativeVersion, nativeRange, fingerprint };
    const names = await this.audiences.namesFor(context.app, audience, context.caller);
    return { ...expectedBuild(context), status, releaseNotes, ...native, mandatory, audience, names };
  }

  @ManagementRoute('POST', 'apps/:app/builds/:build/promote', {
    summary: 'Promote a build to another channel',
    description:
      'The new build is active immediately and shares the stored bundle. With a plan, it is offered to no more devices than in the first step of the plan.',
    body: promoteBody,
    allErrors: async ({ channels }: BuildsController, { app, caller }, { target_channel: name }, errors) => ({
      ...(await channels.errorsOf(app.id, name, 'target_channel', caller)),
      ...errors,
    }),
    call: promoteBuild,
    refusals: ['PLAN_TEMPLATE_NOT_FOUND', 'CHANNEL_NOT_FOUND'],
    ...tagged(promoteBuild, 201, 'The new build.'),
  })
  async promoteBuild(
    context: RequestContext,
    { target_channel: name, mandatory, ring, audience, ...rollout }: z.output<typeof promoteBody>,
  ) {
    const { app, caller } = context;
    const targetChannel = await this.channels.find(app.id, name, 'target_channel', caller);
    const names = await this.audiences.namesFor(app, audience, caller);
    const chosen = { ...buildOf(context), targetChannel, mandatory, ring, audience, names };
    return { ...chosen, ...(await this.rolloutOf(app.id, rollout, caller)) };
  }

  /** Replicas of build-pipeline of an earlier release ignore the plan: they get its percentage too. */
  private async rolloutOf(appId: number, { plan: choice, rollout_percentage }: Rollout, caller: Caller) {
    if (choice === undefined) return { rolloutPercentage: rollout_percentage };
    const plan = await this.choices.resolve(appId, choice, caller);
    return { plan, rolloutPercentage: openingPercentage(plan) };
  }

  @ManagementRoute('PATCH', 'apps/:app/builds/:build/rollout', {
    mayNarrow: true,
    summary: 'Change a rollout',
    description: 'Send rollout_percentage, enabled, ring, or several of them.',
    headers: ifMatchHeader,
    body: rolloutBody,
    call: changeRollout,
    ...tagged(changeRollout, 200, 'The updated build.'),
  })
  changeRollout(context: RequestContext, { rollout_percentage, enabled, ring }: z.output<typeof rolloutBody>) {
    return { ...expectedBuild(context), rolloutPercentage: rollout_percentage, enabled, ring };
  }

  @ManagementRoute('GET', 'apps/:app/builds/:build/recall', {
    summary: 'A recall in force, or what a recall would do',
    description: 'Also for a recalled build that is deleted: devices still run it.',
    answers: { 200: one(recallStatusSchema, 'The recall, with the devices that it concerns.') },
    refusals: getRecall.refusals,
  })
  async getRecall(context: RequestContext) {
    const { caller } = context.access;
    const plan = await this.messaging.request(getRecall, buildOf(context), caller);
    const versions = [plan.build.version, ...(plan.replacement === null ? [] : [plan.replacement.version])];
    const request = { appId: context.app.id, versions };
    const { counts } = await this.messaging.request(countDevicesOnVersions, request, caller);
    const [onRecalled = 0, onReplacement = 0] = counts;
    return { ...plan, devices: { on_recalled: onRecalled, on_replacement: onReplacement } };
  }

  @ManagementRoute('POST', 'apps/:app/builds/:build/recall', {
    onlyTakesAway: true,
    summary: 'Recall a build: no device is offered it, and devices that run it get another one',
    description:
      'Devices that run the version get the target at their next update check, as a mandatory update. The same request again changes nothing.',
    body: recallBody,
    call: recallBuild,
    answers: { 200: 'The recalled build, and what replaces it.' },
  })
  recallBuild(context: RequestContext, { reason, to, version, everywhere }: z.output<typeof recallBody>) {
    return { ...buildOf(context), reason, to, version, everywhere };
  }

  @ManagementRoute('POST', 'apps/:app/builds/:build/unrecall', {
    summary: 'End a recall',
    description: 'The build stays paused. Devices that the recall moved keep what they have.',
    call: unrecallBuild,
    answers: { 200: 'The recall is over.' },
  })
  unrecallBuild = buildOf;

  @ManagementRoute('POST', 'apps/:app/builds/:build/retry', {
    summary: 'Offer a build again to the devices that rolled it back',
    description:
      'A device that reports that it rolled a build back is not offered it again, until this request. The statistics of the build count these devices.',
    call: retryBuild,
    ...tagged(retryBuild, 200, 'The build.'),
  })
  retryBuild = buildOf;

  @ManagementRoute('DELETE', 'apps/:app/builds/:build', {
    permission: 'builds.delete',
    summary: 'Delete a build permanently',
    description: 'Promoted copies keep working.',
    headers: ifMatchHeader,
    call: deleteBuild,
    answers: { 200: 'The build is deleted.' },
  })
  deleteBuild = expectedBuild;
}

/** The build at the revision that If-Match names. */
const expectedBuild = (context: RequestContext) => ({ ...buildOf(context), ...ifRevision(context) });

/** The form's fields and file. Reports all errors together, and `further` ones with them. */
async function readUpload(form: ReceivedForm, further: () => Promise<ValidationError['errors']>) {
  const parsed = uploadFields.safeParse(form.fields);
  const errors: Record<string, readonly string[]> = parsed.success ? {} : { ...toValidationError(parsed.error).errors };
  if (form.file === undefined) errors['file'] = ['A file is required. Send the bundle as a .zip in the part "file".'];
  // What is encrypted looks like nothing.
  else if (!form.file.looksLikeZip && !('delivery' in form.fields)) errors['file'] = ['The file is not a zip archive.'];
  if (!parsed.success || form.file === undefined || Object.keys(errors).length > 0)
    throw new ValidationError({ ...(await further()), ...errors });
  return { fields: parsed.data, file: form.file };
}
