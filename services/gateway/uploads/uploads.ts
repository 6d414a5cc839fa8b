import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '@sluice/contracts';
import { LOGGER, type Logger } from '@sluice/service-host';
import { faultOf, unsupportedMediaType } from '@sluice/http';
import { DomainError, UnavailableError } from '@sluice/kernel';
import { PacketTooLargeError } from '@sluice/messaging';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import type { FastifyRequest } from 'fastify';
import { bindBody } from '../idempotency/idempotency';
import { traceIdOf } from '@sluice/telemetry';
import { receiveForm, type FormOptions, type ReceivedForm, type StoredFile } from './upload';

export interface UploadSteps<
  Upload extends { readonly file: StoredFile },
  Reply extends { readonly objectKey: string },
> {
  /** The form as this operation takes it. @throws ValidationError, DomainError */
  readonly read: (form: ReceivedForm) => Upload | Promise<Upload>;
  /** Has an event name the object; the reply has the name in that event. */
  readonly accept: (upload: Upload, caller: Caller) => Promise<Reply>;
}

const STORED = 'The file could not be stored. Try again.';
const RECORDED =
  'The file was received, but the upload could not be recorded: a part of the server is unavailable. Nothing was changed. Try again.';

/** Files that come as a form: streamed into the object store first, then named by an event. */
@Injectable()
export class Uploads {
  constructor(
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Unless an event names the object, or may, it goes again: a refusal and a repeat leave nothing.
   * @throws DomainError UNSUPPORTED_MEDIA_TYPE, those of beforeAccepted, receiveForm, bindBody and the steps;
   *   UnavailableError after an outcome that stays unknown
   */
  async take<Upload extends { readonly file: StoredFile }, Reply extends { readonly objectKey: string }>(
    request: FastifyRequest,
    options: FormOptions,
    { read, accept }: UploadSteps<Upload, Reply>,
  ): Promise<Reply> {
    const traceparent = request.trace?.traceparent;
    const form = await this.beforeAccepted(receiveForm(request.raw, this.objects, options), traceparent);
    let accepting = false;
    try {
      request.confirmAccess();
      const upload = await read(form);
      const caller = await bindBody(request, { fields: form.fields, sha256: upload.file.sha256 });
      accepting = true;
      const accepted = await accept(upload, caller);
      // The repeat of an upload is answered with what the first one stored.
      if (accepted.objectKey !== upload.file.key) await this.discard(upload.file, traceparent);
      return accepted;
    } catch (error) {
      if (accepting && mayBeDone(error)) throw error;
      if (form.file !== undefined) await this.discard(form.file, traceparent);
      throw this.refusal(error, traceparent, RECORDED);
    }
  }

  /**
   * What an upload needs before any event can name it.
   * @throws DomainError UPLOAD_FAILED when an engine or a service is unavailable; what `work` rejects with
   */
  async beforeAccepted<Value>(work: Promise<Value>, traceparent: string | undefined): Promise<Value> {
    return work.catch((error: unknown) => {
      throw this.refusal(error, traceparent, STORED);
    });
  }

  private refusal(error: unknown, traceparent: string | undefined, message: string): unknown {
    if (faultOf(error).code !== 'SERVICE_UNAVAILABLE') return error;
    this.logger.error({ err: error, trace_id: traceIdOf(traceparent) }, 'An upload could not be taken');
    return new DomainError('UPLOAD_FAILED', message, { retry_after: 5 });
  }

  private async discard(file: StoredFile, traceparent: string | undefined): Promise<void> {
    await this.objects
      .delete(file.key)
      .catch((error: unknown) =>
        this.logger.error(
          { err: error, trace_id: traceIdOf(traceparent) },
          `The refused upload ${file.key} could not be deleted`,
        ),
      );
  }
}

/** Whether a step that ends in an append may have appended: not after a rejection, possibly after a fault of the service. */
function mayBeDone(error: unknown): boolean {
  if (error instanceof UnavailableError) return error.done === 'unknown';
  return !(error instanceof PacketTooLargeError || (error instanceof DomainError && error.code !== 'INTERNAL_ERROR'));
}

/** @throws DomainError UNSUPPORTED_MEDIA_TYPE */
export function requireForm(request: FastifyRequest): void {
  if (/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) return;
  throw unsupportedMediaType('multipart/form-data');
}
