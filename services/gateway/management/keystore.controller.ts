import { pipeline, type Readable } from 'node:stream';
import { Inject } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import {
  deleteKeystore,
  getKeystore,
  openKeystore,
  prepareKeystore,
  storeKeystore,
  type Caller,
} from '@sluice/contracts';
import { LOGGER, type Logger } from '@sluice/service-host';
import { DomainError, ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { OBJECT_STORE, ObjectNotFoundError, type ObjectStore } from '@sluice/object-store';
import { z } from 'zod';
import type { GatewaySettings } from '../config/gateway.settings';
import { attachment } from '../http/attachment';
import { traceIdOf } from '@sluice/telemetry';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes, ofApp } from '../http/route';
import { opening, type StreamSeal } from '../uploads/sealed-stream';
import type { ReceivedForm, StoredFile } from '../uploads/upload';
import { Uploads } from '../uploads/uploads';

const MAX_NAME_LENGTH = 255;
const NAMELESS = 'keystore.zip';

@Routes('Keystore backup', 'One zip per app with what its native builds are signed with. It is kept sealed.')
export class KeystoreController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly uploads: Uploads,
  ) {}

  @ManagementRoute('GET', 'apps/:app/keystore', {
    summary: 'The backup, if there is one',
    call: getKeystore,
    raw: true,
    answers: { 200: 'The backup, or that there is none.' },
  })
  getKeystore = ofApp;

  /** Seals the file while it streams into the object store; a refusal leaves nothing of it behind. */
  @ManagementRoute('POST', 'apps/:app/keystore', {
    summary: 'Keep a keystore, in place of an earlier one',
    form: z.object({}),
    answers: {
      201: one(
        storeKeystore.reply.shape.keystore,
        'Stored. The repeat of an upload answers the backup as it stands now.',
      ),
    },
    refusals: ['KEYSTORE_MUST_BE_ZIP', 'UPLOAD_FAILED'],
  })
  async uploadKeystore({ request, app, caller: asker }: RequestContext) {
    const appId = app.id;
    const prepared = this.messaging.request(prepareKeystore, { appId }, asker);
    const { objectKey, dataKey } = await this.uploads.beforeAccepted(prepared, asker.traceparent);
    const target = { maxBytes: this.settings.maxKeystoreBytes, objectKey, dataKey: Buffer.from(dataKey, 'base64') };
    const { keystore } = await this.uploads.take(request, target, {
      read: readKeystore,
      accept: ({ file: { name, size, sha256 } }, caller) =>
        this.messaging.request(
          storeKeystore,
          { appId, originalName: name === '' ? NAMELESS : name, size, sha256, objectKey, dataKey },
          caller,
        ),
    });
    return keystore;
  }

  /** Streams the file; one that was altered in the object store is cut off before the first byte that is not as it was. */
  @ManagementRoute('GET', 'apps/:app/keystore/download', {
    summary: 'The zip as it was uploaded',
    answers: {
      200: {
        kind: 'bytes',
        mediaType: 'application/zip',
        description: 'The zip. One that was altered in the object store is cut off.',
        headers: { 'Content-Disposition': 'The name that it was uploaded under.', 'Content-Length': 'Bytes.' },
      },
    },
    refusals: ['KEYSTORE_NOT_FOUND'],
  })
  async downloadKeystore({ app, caller, reply }: RequestContext) {
    const { sealed, name, size, seal } = await this.open(app.id, caller);
    void reply
      .header('Content-Type', 'application/zip')
      .header('Content-Length', size)
      .header('Content-Disposition', attachment(name))
      .header('Cache-Control', 'no-store');
    return pipeline(sealed, opening(seal), (error: NodeJS.ErrnoException | null) => {
      // Whoever reads it may leave at any time.
      if (!error || error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
      this.logger.error(
        { err: error, trace_id: traceIdOf(caller.traceparent) },
        `The keystore of app ${app.id} can not be delivered`,
      );
    });
  }

  @ManagementRoute('DELETE', 'apps/:app/keystore', {
    summary: 'Delete the backup for ever',
    call: deleteKeystore,
    answers: { 200: 'Deleted.' },
  })
  deleteKeystore = ofApp;

  /** A second look finds what took the place of a backup that was replaced between the two questions. */
  private async open(appId: number, caller: Caller, looks = 2): Promise<OpenedKeystore> {
    const { objectKey, dataKey, originalName, size } = await this.messaging.request(openKeystore, { appId }, caller);
    try {
      const sealed = await this.objects.get(objectKey);
      return { sealed, name: originalName, size, seal: { key: Buffer.from(dataKey, 'base64'), boundTo: objectKey } };
    } catch (error) {
      if (looks === 1 || !(error instanceof ObjectNotFoundError)) throw error;
      return this.open(appId, caller, looks - 1);
    }
  }
}

interface OpenedKeystore {
  readonly sealed: Readable;
  readonly seal: StreamSeal;
  readonly name: string;
  /** Bytes of the file as it was sent. */
  readonly size: number;
}

function readKeystore({ file }: ReceivedForm): { readonly file: StoredFile } {
  if (file === undefined) throw new ValidationError({ file: ['A file is required: a .zip in the part "file".'] });
  if (file.name.length > MAX_NAME_LENGTH) {
    throw new ValidationError({ file: [`The name of the file must have at most ${MAX_NAME_LENGTH} characters.`] });
  }
  if (!file.looksLikeZip) throw new DomainError('KEYSTORE_MUST_BE_ZIP', 'The file is not a zip archive.');
  return { file };
}
