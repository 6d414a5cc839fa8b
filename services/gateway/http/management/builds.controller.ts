import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query, Req } from '@nestjs/common';
import {
  acceptBuild,
  changeRollout,
  deleteBuild,
  editBuild,
  getBuild,
  listBuilds,
  promoteBuild,
  type Caller,
} from '@sluice/contracts';
import { CLOCK, PUBLIC_URL, REPORT, type Clock, type PublicUrl, type Report } from '@sluice/engines';
import { pageMeta, pageQuery, unsupportedMediaType, validate } from '@sluice/http';
import { DomainError, UnavailableError, ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { OBJECT_STORE, ObjectStoreUnavailableError, type ObjectStore } from '@sluice/object-store';
import { SETTINGS, type Settings } from '@sluice/config';
import type { FastifyRequest } from 'fastify';
import type { KnownApp } from '../../projections/access-state';
import { idOf } from '../path-id';
import { bindBody } from '../planes';
import { RequestApp, RequestCaller } from '../request.decorators';
import { receiveForm, type ReceivedForm, type StoredFile } from '../upload';
import { readAsOf } from './past';
import { jobUrl } from './jobs.controller';
import { editBuildBody, listBuildsQuery, promoteBody, rolloutBody, uploadFields } from './schemas';

@Controller('api/public/v1/apps/:app/builds')
export class BuildsController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    @Inject(REPORT) private readonly report: Report,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  async list(@Query() query: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const page = validate(pageQuery, query);
    const filter = validate(listBuildsQuery, query);
    const request = { ...page, ...filter, asOf: readAsOf(query, this.clock), appId: app.id };
    const { items, total } = await this.messaging.request(listBuilds, request, caller);
    return { data: items, meta: pageMeta(page, total) };
  }

  @Get(':build')
  async get(
    @Param('build') build: string,
    @Query() query: unknown,
    @RequestApp() app: KnownApp,
    @RequestCaller() caller: Caller,
  ) {
    const asOf = readAsOf(query, this.clock);
    const id = idOf(build, 'BUILD_NOT_FOUND');
    return { data: await this.messaging.request(getBuild, { appId: app.id, id, asOf }, caller) };
  }

  /** Streams the bundle into the object store first; a refusal leaves nothing of it behind. */
  @Post()
  @HttpCode(202)
  async upload(@Req() request: FastifyRequest, @RequestApp() app: KnownApp) {
    if (!/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) {
      throw unsupportedMediaType('multipart/form-data');
    }
    const form = await this.receive(request);
    try {
      const { fields, file } = readUpload(form);
      const caller = await this.bind(request, { fields: form.fields, sha256: file.sha256 }, file);
      const accepted = await this.messaging.request(
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
        },
        caller,
      );
      // The repeat of an upload is answered with what the first one stored.
      if (accepted.objectKey !== file.key) await this.discard(file);
      return {
        data: { job_id: accepted.job_id, status_url: jobUrl(this.publicUrl, accepted.job_id), build: accepted.build },
      };
    } catch (error) {
      const refused = error instanceof DomainError && !(error instanceof UnavailableError);
      if (refused && form.file !== undefined) await this.discard(form.file);
      throw error;
    }
  }

  @Patch(':build')
  async edit(
    @Param('build') build: string,
    @Body() body: unknown,
    @RequestApp() app: KnownApp,
    @RequestCaller() caller: Caller,
  ) {
    const changes = validate(editBuildBody, body ?? {});
    const id = idOf(build, 'BUILD_NOT_FOUND');
    const request = {
      appId: app.id,
      id,
      status: changes.status,
      releaseNotes: changes.release_notes,
      minNativeVersion: changes.min_native_version,
      mandatory: changes.mandatory,
    };
    return { data: await this.messaging.request(editBuild, request, caller) };
  }

  @Post(':build/promote')
  @HttpCode(201)
  async promote(
    @Param('build') build: string,
    @Body() body: unknown,
    @RequestApp() app: KnownApp,
    @RequestCaller() caller: Caller,
  ) {
    const { target_channel, rollout_percentage, mandatory } = validate(promoteBody, body ?? {});
    const id = idOf(build, 'BUILD_NOT_FOUND');
    const request = {
      appId: app.id,
      id,
      targetChannel: target_channel,
      rolloutPercentage: rollout_percentage,
      mandatory,
    };
    return { data: await this.messaging.request(promoteBuild, request, caller) };
  }

  @Patch(':build/rollout')
  async rollout(
    @Param('build') build: string,
    @Body() body: unknown,
    @RequestApp() app: KnownApp,
    @RequestCaller() caller: Caller,
  ) {
    const { rollout_percentage, enabled } = validate(rolloutBody, body ?? {});
    const id = idOf(build, 'BUILD_NOT_FOUND');
    const request = { appId: app.id, id, rolloutPercentage: rollout_percentage, enabled };
    return { data: await this.messaging.request(changeRollout, request, caller) };
  }

  @Delete(':build')
  async delete(@Param('build') build: string, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const id = idOf(build, 'BUILD_NOT_FOUND');
    return { data: await this.messaging.request(deleteBuild, { appId: app.id, id }, caller) };
  }

  private async receive(request: FastifyRequest): Promise<ReceivedForm> {
    try {
      return await receiveForm(request.raw, this.objects, { maxBytes: this.settings.maxBundleBytes });
    } catch (error) {
      if (!(error instanceof ObjectStoreUnavailableError)) throw error;
      this.report('An upload could not be stored', error);
      throw new DomainError('UPLOAD_FAILED', 'The bundle could not be stored. Try again.', { retry_after: 5 });
    }
  }

  /** What can't be bound has no effect: then nothing of the upload stays. */
  private async bind(request: FastifyRequest, body: unknown, file: StoredFile): Promise<Caller> {
    try {
      return await bindBody(request, body);
    } catch (error) {
      if (!(error instanceof DomainError)) await this.discard(file);
      throw error;
    }
  }

  private async discard(file: StoredFile): Promise<void> {
    await this.objects
      .delete(file.key)
      .catch((error: unknown) => this.report(`The refused upload ${file.key} could not be deleted`, error));
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
