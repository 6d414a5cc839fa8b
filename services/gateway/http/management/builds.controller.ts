import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import {
  acceptBuild,
  changeRollout,
  deleteBuild,
  editBuild,
  listBuilds,
  promoteBuild,
  type Caller,
} from '@sluice/contracts';
import { CLOCK, PUBLIC_URL, type Clock, type PublicUrl } from '@sluice/engines';
import { pageMeta, pageQuery, validate, validateBody } from '@sluice/http';
import { newUlid, ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { SETTINGS, type Settings } from '@sluice/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KnownApp } from '../../projections/access-state';
import { forTokensAndOwners } from '../access-policy';
import type { Access } from '../authentication';
import { idOf } from '../path-id';
import { RequestAccess, RequestApp, RequestCaller } from '../request.decorators';
import { StorageLimit } from '../storage-limit';
import type { ReceivedForm } from '../upload';
import { requireForm, Uploads } from '../uploads';
import { expectedRevision, sendBuild } from './if-match';
import { readAsOf } from './past';
import { jobUrl } from './jobs.controller';
import { editBuildBody, listBuildsQuery, promoteBody, rolloutBody, uploadFields } from './schemas';

@Controller(forTokensAndOwners('apps/:app/builds'))
export class BuildsController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly uploads: Uploads,
    private readonly storage: StorageLimit,
  ) {}

  @Get()
  async list(@Query() query: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const page = validate(pageQuery, query);
    const filter = validate(listBuildsQuery, query);
    const request = { ...page, ...filter, asOf: readAsOf(query, this.clock), appId: app.id };
    const { items, total } = await this.messaging.request(listBuilds, request, caller);
    return { data: items, meta: pageMeta(page, total) };
  }

  /** Streams the bundle into the object store first; a refusal leaves nothing of it behind. */
  @Post()
  @HttpCode(202)
  async upload(@Req() request: FastifyRequest, @RequestApp() app: KnownApp, @RequestAccess() access: Access) {
    requireForm(request);
    const { maxBundleBytes } = this.settings;
    const room = await this.storage.makeRoom(request, app.ownerId, maxBundleBytes, access.caller);
    const { maxBytes, tooLarge, release } = room;
    try {
      const target = { maxBytes, tooLarge, objectKey: `bundles/${newUlid()}.zip` };
      const { job_id, build } = await this.uploads.take(request, target, {
        read: readUpload,
        accept: ({ fields, file }, caller) =>
          this.messaging.request(
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
              rolloutPercentage: fields.rollout_percentage,
              mandatory: fields.mandatory,
              uniqueSignatures: app.uniqueSignatures,
            },
            caller,
          ),
      });
      return { data: { job_id, status_url: jobUrl(this.publicUrl, access, job_id), build } };
    } finally {
      release();
    }
  }

  @Patch(':build')
  async edit(
    @Param('build') build: string,
    @Body() body: unknown,
    @RequestApp() app: KnownApp,
    @RequestCaller() caller: Caller,
    @Req() incoming: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const changes = validateBody(editBuildBody, body);
    const id = idOf(build, 'BUILD_NOT_FOUND');
    const request = {
      appId: app.id,
      id,
      status: changes.status,
      releaseNotes: changes.release_notes,
      minNativeVersion: changes.min_native_version,
      mandatory: changes.mandatory,
      ifRevision: expectedRevision(incoming),
    };
    return sendBuild(reply, await this.messaging.request(editBuild, request, caller));
  }

  @Post(':build/promote')
  @HttpCode(201)
  async promote(
    @Param('build') build: string,
    @Body() body: unknown,
    @RequestApp() app: KnownApp,
    @RequestCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { target_channel, rollout_percentage, mandatory } = validateBody(promoteBody, body);
    const id = idOf(build, 'BUILD_NOT_FOUND');
    const request = {
      appId: app.id,
      id,
      targetChannel: target_channel,
      rolloutPercentage: rollout_percentage,
      mandatory,
    };
    return sendBuild(reply, await this.messaging.request(promoteBuild, request, caller));
  }

  @Patch(':build/rollout')
  async rollout(
    @Param('build') build: string,
    @Body() body: unknown,
    @RequestApp() app: KnownApp,
    @RequestCaller() caller: Caller,
    @Req() incoming: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { rollout_percentage, enabled } = validateBody(rolloutBody, body);
    const id = idOf(build, 'BUILD_NOT_FOUND');
    const request = {
      appId: app.id,
      id,
      rolloutPercentage: rollout_percentage,
      enabled,
      ifRevision: expectedRevision(incoming),
    };
    return sendBuild(reply, await this.messaging.request(changeRollout, request, caller));
  }

  @Delete(':build')
  async delete(
    @Param('build') build: string,
    @RequestApp() app: KnownApp,
    @RequestCaller() caller: Caller,
    @Req() incoming: FastifyRequest,
  ) {
    const id = idOf(build, 'BUILD_NOT_FOUND');
    const request = { appId: app.id, id, ifRevision: expectedRevision(incoming) };
    return { data: await this.messaging.request(deleteBuild, request, caller) };
  }
}

/** The form's fields and file, all faults in one answer. */
function readUpload(form: ReceivedForm) {
  const errors: Record<string, readonly string[]> = {};
  const parsed = uploadFields.safeParse(form.fields);
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues) {
      const field = path.map(String).join('.');
      errors[field] = [...(errors[field] ?? []), message];
    }
  }
  if (form.file === undefined) errors['file'] = ['A file is required: the bundle as a .zip in the part "file".'];
  else if (!form.file.looksLikeZip) errors['file'] = ['The file is not a zip archive.'];
  if (!parsed.success || form.file?.looksLikeZip !== true) throw new ValidationError(errors);
  return { fields: parsed.data, file: form.file };
}
