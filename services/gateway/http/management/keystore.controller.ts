import { pipeline, type Readable } from 'node:stream';
import { Controller, Delete, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import { deleteKeystore, openKeystore, prepareKeystore, storeKeystore, type Caller } from '@sluice/contracts';
import { REPORT, type Report } from '@sluice/engines';
import { DomainError, ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { OBJECT_STORE, ObjectNotFoundError, type ObjectStore } from '@sluice/object-store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KnownApp } from '../../projections/access-state';
import { forTokensAndOwners } from '../access-policy';
import { attachment } from '../attachment';
import { RequestApp, RequestCaller } from '../request.decorators';
import { opening, type StreamSeal } from '../sealed-stream';
import type { ReceivedForm, StoredFile } from '../upload';
import { requireForm, Uploads } from '../uploads';

const MAX_NAME_LENGTH = 255;
const NAMELESS = 'keystore.zip';

@Controller(forTokensAndOwners('apps/:app/keystore'))
export class KeystoreController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(REPORT) private readonly report: Report,
    private readonly uploads: Uploads,
  ) {}

  /** Seals the file while it streams into the object store; a refusal leaves nothing of it behind. */
  @Post()
  @HttpCode(201)
  async upload(@Req() request: FastifyRequest, @RequestApp() app: KnownApp, @RequestCaller() asker: Caller) {
    requireForm(request);
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
    return { data: keystore };
  }

  /** Streams the file; one that was altered in the object store is cut off before the first byte that is not as it was. */
  @Get('download')
  async download(@RequestApp() app: KnownApp, @RequestCaller() caller: Caller, @Res() reply: FastifyReply) {
    const { sealed, name, size, seal } = await this.open(app.id, caller);
    const bytes = pipeline(sealed, opening(seal), (error: NodeJS.ErrnoException | null) => {
      // Whoever reads it may leave at any time.
      if (!error || error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
      this.report(`The keystore of app ${app.id} can not be delivered`, error, caller.traceparent);
    });
    void reply
      .header('Content-Type', 'application/zip')
      .header('Content-Length', size)
      .header('Content-Disposition', attachment(name))
      .header('Cache-Control', 'no-store')
      .send(bytes);
  }

  @Delete()
  async delete(@RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(deleteKeystore, { appId: app.id }, caller) };
  }

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
