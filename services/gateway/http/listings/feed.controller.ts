import { pipeline, Transform } from 'node:stream';
import { Controller, Get, Headers, Inject, Query, Res } from '@nestjs/common';
import {
  type Caller,
  feedDownloadQuery,
  type FeedFormat,
  feedPreviewQuery,
  makeFeed,
  previewFeed,
} from '@sluice/contracts';
import { REPORT, type Report } from '@sluice/engines';
import { validate } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import type { FastifyReply } from 'fastify';
import { attachment } from '../attachment';
import { RequestCaller } from '../request.decorators';
import { success } from './envelope';

/** The whole store may be read; a connection that is silent for two minutes is ended. */
const DOWNLOAD_PATIENCE = { timeoutMs: 110_000 };
const PREVIEW_PATIENCE = { timeoutMs: 60_000 };

const CONTENT_TYPES: Readonly<Record<FeedFormat, string>> = {
  rss: 'application/rss+xml; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
};

@Controller('svc/v1/listings-ads/feed')
export class FeedController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(REPORT) private readonly report: Report,
  ) {}

  @Get('preview')
  async preview(@Query() query: unknown, @RequestCaller() caller: Caller) {
    const part = validate(feedPreviewQuery, query);
    const preview = await this.messaging.request(previewFeed, part, caller, PREVIEW_PATIENCE);
    return success(preview, 'What the feed would hold now, and what it leaves out.');
  }

  /** The file; in the envelope for who asks for JSON. */
  @Get('download')
  async download(
    @Query() query: unknown,
    @Headers('accept') accept: string | undefined,
    @RequestCaller() caller: Caller,
    @Res() reply: FastifyReply,
  ) {
    const { format } = validate(feedDownloadQuery, query);
    const { objectKey, filename, size } = await this.messaging.request(makeFeed, { format }, caller, DOWNLOAD_PATIENCE);
    const file = await this.objects.get(objectKey);
    void reply.header('Cache-Control', 'no-store').header('Vary', 'Accept');
    if (accept === undefined || !/\bapplication\/json\b/i.test(accept)) {
      void reply
        .header('Content-Type', CONTENT_TYPES[format])
        .header('Content-Length', size)
        .header('Content-Disposition', attachment(filename))
        .send(file);
      return;
    }
    const enveloped = pipeline(file, asContent({ format, filename }), (error: NodeJS.ErrnoException | null) => {
      // Whoever reads it may leave at any time.
      if (!error || error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
      this.report('A feed can not be delivered', error, caller.traceparent);
    });
    void reply.header('Content-Type', 'application/json; charset=utf-8').send(enveloped);
  }
}

/** The envelope around text that passes through as its `content`. */
function asContent(about: { readonly format: FeedFormat; readonly filename: string }): Transform {
  const [before = '', after = ''] = JSON.stringify(success({ ...about, content: '' }, 'The feed.')).split('""');
  const text = new TextDecoder();
  const escaped = (part: string) => JSON.stringify(part).slice(1, -1);
  return new Transform({
    construct(done) {
      this.push(`${before}"`);
      done();
    },
    transform(chunk: Buffer, _encoding, done) {
      done(null, escaped(text.decode(chunk, { stream: true })));
    },
    flush(done) {
      done(null, `${escaped(text.decode())}"${after}`);
    },
  });
}
