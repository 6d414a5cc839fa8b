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
import { OBJECT_STORE, ObjectNotFoundError, type ObjectStore, opening, type StreamSeal } from '@sluice/object-store';
import { z } from 'zod';
import type { GatewaySettings } from '../config/gateway.settings';
import { attachment } from '../http/attachment';
import { traceIdOf } from '@sluice/telemetry';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes, ofApp } from '../http/route';
import type { ReceivedForm, StoredFile } from '../uploads/upload';
import { Uploads } from '../uploads/uploads';

const MAX_NAME_LENGTH = 255;
const NAMELESS = 'keystore.zip';

@Routes('Keystore backup', 'One zip per app with the keys that sign its native builds. It is stored encrypted.')
export class KeystoreController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly uploads: Uploads,
  ) {}

  @ManagementRoute('GET', 'apps/:app/keystore', {
    summary: 'Get the backup, if there is one',
    call: getKeystore,
    raw: true,
    answers: { 200: 'The backup, or the statement that there is none.' },
  })
  getKeystore = ofApp;

  /** Encrypts the file while it streams into the object store, and deletes it if the upload is rejected. */
  @ManagementRoute('POST', 'apps/:app/keystore', {
    summary: 'Upload a keystore, replacing an earlier one',
    form: z.object({}),
    answers: {
      201: one(storeKeystore.reply.shape.keystore, 'Stored. A repeated upload returns the current backup.'),
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

  /** Streams the file. If it was altered in the object store, the download ends before the first altered byte. */
  @ManagementRoute('GET', 'apps/:app/keystore/download', {
    summary: 'Download the keystore as it was uploaded',
    answers: {
      200: {
        kind: 'bytes',
        mediaType: 'application/zip',
        description: 'The zip. If it was altered in the object store, the download is cut off.',
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
      // The client may disconnect at any time.
      if (!error || error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
      this.logger.error(
        { err: error, trace_id: traceIdOf(caller.traceparent) },
        `Delivery of the keystore of app ${app.id} failed`,
      );
    });
  }

  @ManagementRoute('DELETE', 'apps/:app/keystore', {
    summary: 'Delete the backup permanently',
    call: deleteKeystore,
    answers: { 200: 'Deleted.' },
  })
  deleteKeystore = ofApp;

  /** Looks twice, to find a backup that replaced another one between the two reads. */
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
  if (file === undefined) throw new ValidationError({ file: ['A file is required. Send a .zip in the part "file".'] });
  if (file.name.length > MAX_NAME_LENGTH) {
    throw new ValidationError({ file: [`The file name must have at most ${MAX_NAME_LENGTH} characters.`] });
  }
  if (!file.looksLikeZip) throw new DomainError('KEYSTORE_MUST_BE_ZIP', 'The file is not a zip archive.');
  return { file };
}
