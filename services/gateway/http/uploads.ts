import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '@sluice/contracts';
import { REPORT, type Report } from '@sluice/engines';
import { unsupportedMediaType } from '@sluice/http';
import { DomainError, UnavailableError } from '@sluice/kernel';
import { OBJECT_STORE, ObjectStoreUnavailableError, type ObjectStore } from '@sluice/object-store';
import type { FastifyRequest } from 'fastify';
import { bindBody } from './planes';
import { receiveForm, type FormOptions, type ReceivedForm, type StoredFile } from './upload';

export interface UploadSteps<
  Upload extends { readonly file: StoredFile },
  Reply extends { readonly objectKey: string },
> {
  /** The form as this operation takes it. @throws ValidationError, DomainError */
  readonly read: (form: ReceivedForm) => Upload;
  /** Has an event name the object; the reply tells which one it names. */
  readonly accept: (upload: Upload, caller: Caller) => Promise<Reply>;
}

/** Files that come as a form: streamed into the object store first, then named by an event. */
@Injectable()
export class Uploads {
  constructor(
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(REPORT) private readonly report: Report,
  ) {}

  /**
   * Unless an event names the object, or may, it goes again: a refusal and a repeat leave nothing.
   * @throws DomainError UNSUPPORTED_MEDIA_TYPE, UPLOAD_FAILED, those of receiveForm, bindBody and the steps
   */
  async take<Upload extends { readonly file: StoredFile }, Reply extends { readonly objectKey: string }>(
    request: FastifyRequest,
    options: FormOptions,
    { read, accept }: UploadSteps<Upload, Reply>,
  ): Promise<Reply> {
    const form = await this.receive(request, options);
    let mayBeNamed = false;
    try {
      const upload = read(form);
      const caller = await bindBody(request, { fields: form.fields, sha256: upload.file.sha256 });
      mayBeNamed = true;
      const accepted = await accept(upload, caller);
      // The repeat of an upload is answered with what the first one stored.
      if (accepted.objectKey !== upload.file.key) await this.discard(upload.file, caller.traceparent);
      return accepted;
    } catch (error) {
      // After a fault of the service an event may name the object, as after an unknown outcome.
      const refused =
        error instanceof DomainError && !(error instanceof UnavailableError) && error.code !== 'INTERNAL_ERROR';
      if (form.file !== undefined && (refused || !mayBeNamed))
        await this.discard(form.file, request.trace?.traceparent);
      throw error;
    }
  }

  private async receive(request: FastifyRequest, options: FormOptions): Promise<ReceivedForm> {
    try {
      return await receiveForm(request.raw, this.objects, options);
    } catch (error) {
      if (!(error instanceof ObjectStoreUnavailableError)) throw error;
      this.report('An upload could not be stored', error, request.trace?.traceparent);
      throw new DomainError('UPLOAD_FAILED', 'The file could not be stored. Try again.', { retry_after: 5 });
    }
  }

  private async discard(file: StoredFile, traceparent: string | undefined): Promise<void> {
    await this.objects
      .delete(file.key)
      .catch((error: unknown) =>
        this.report(`The refused upload ${file.key} could not be deleted`, error, traceparent),
      );
  }
}

/** @throws DomainError UNSUPPORTED_MEDIA_TYPE */
export function requireForm(request: FastifyRequest): void {
  if (/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) return;
  throw unsupportedMediaType('multipart/form-data');
}
