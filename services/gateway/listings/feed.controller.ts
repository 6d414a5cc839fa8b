import { pipeline, Transform } from 'node:stream';
import { Inject } from '@nestjs/common';
import {
  feedContentSchema,
  feedDownloadQuery,
  type FeedFormat,
  feedPreviewQuery,
  makeFeed,
  previewFeed,
} from '@sluice/contracts';
import { LOGGER, type Logger } from '@sluice/service-host';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import type { z } from 'zod';
import { attachment } from '../http/attachment';
import type { RequestContext } from '../http/request-context';
import { ListingsRoute, Routes, asSent } from '../http/route';
import { success } from './plane/envelope';
import { traceIdOf } from '@sluice/telemetry';

/** May read the whole shop; a connection that is silent for two minutes is ended. */
const DOWNLOAD_PATIENCE = { timeoutMs: 110_000 };

const CONTENT_TYPES: Readonly<Record<FeedFormat, string>> = {
  rss: 'application/rss+xml; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
};

const refusals = ['store_not_configured', 'store_unavailable'];

@Routes('Feed', 'The products of the shop as a feed. Needs no connection.')
export class FeedController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @ListingsRoute('GET', 'feed/preview', {
    summary: 'Preview the feed: its items, and which products it leaves out and why',
    query: [feedPreviewQuery],
    call: previewFeed,
    timeoutMs: 60_000,
    answers: { 200: 'One page, in the order of the shop.' },
    message: 'A preview of the feed.',
    refusals,
  })
  previewFeed = asSent;

  @ListingsRoute('GET', 'feed/download', {
    summary: 'Get the feed as a file',
    query: [feedDownloadQuery],
    answers: {
      200: {
        kind: 'bytes',
        mediaType: 'application/rss+xml',
        json: feedContentSchema,
        description: 'The file, as RSS or `text/tab-separated-values`; in the envelope for clients that accept JSON.',
      },
    },
    refusals,
  })
  async downloadFeed({ request, reply, caller }: RequestContext, { format }: z.output<typeof feedDownloadQuery>) {
    const { objectKey, filename, size } = await this.messaging.request(makeFeed, { format }, caller, DOWNLOAD_PATIENCE);
    const file = await this.objects.get(objectKey);
    void reply.header('Cache-Control', 'no-store').header('Vary', 'Accept');
    if (!/\bapplication\/json\b/i.test(request.headers.accept ?? '')) {
      void reply
        .header('Content-Type', CONTENT_TYPES[format])
        .header('Content-Length', size)
        .header('Content-Disposition', attachment(filename));
      return file;
    }
    void reply.header('Content-Type', 'application/json; charset=utf-8');
    return pipeline(file, asContent({ format, filename }), (error: NodeJS.ErrnoException | null) => {
      // The client may disconnect at any time.
      if (!error || error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
      this.logger.error({ err: error, trace_id: traceIdOf(caller.traceparent) }, 'Feed delivery failed');
    });
  }
}

/** The envelope around text that is streamed as its `content`. */
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
