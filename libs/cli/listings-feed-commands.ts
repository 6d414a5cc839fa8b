import { open, rename, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FeedPreview } from '@sluice/contracts';
import { Option, type Command } from './commander';
import { listingsClient, withLimit, withToken } from './connection';
import type { Context } from './context';
import { Failure, UsageError } from './failure';
import { queryOf, type ApiClient } from './http-client';
import { formatBytes } from './output';

/** Items and exclusions that the server puts into one preview at most. */
const LARGEST_PART = 500;

/** `sluice listings feed …` */
export function addListingsFeedCommands(listings: Command, context: Context): void {
  const { terminal, output } = context;
  const feed = listings.command('feed').description("the product feed generated from the shop's products");

  withLimit(
    feed.command('preview').description('preview which products would be listed, and why others are excluded'),
  ).action(async (options) => {
    const preview = await readPreview(await listingsClient(options, context), options.limit);
    const { items, excluded, next_offset: next } = preview;
    if (output.json(preview)) return;
    await output.list(items, {
      ...{ id: 'id', product: 'product_id', title: 'title', price: 'price', availability: 'availability' },
    });
    if (excluded.length > 0) {
      output.note('Not listed:');
      await output.list(excluded, {
        ...{ product: 'product_id', variation: 'variation_id' },
        why: (shown) => shown.reasons.join(' '),
      });
    }
    if (next !== null) output.note('There is more of it: --limit shows more.');
  });

  withToken(feed.command('download').description('download the generated feed'))
    .addOption(new Option('--format <format>', 'file format').choices(['rss', 'tsv']).default('rss'))
    .option('-o, --output <file>', 'output file; an existing file is replaced (default: stdout)')
    .action(async ({ format, output: file, ...options }) => {
      if (file === undefined && options.json) throw new UsageError('--json describes a file: name it with --output.');
      const client = await listingsClient(options, context);
      const attempt = 'download the feed';
      const response = await client.download(attempt, `/feed/download?format=${format}`);
      const body = Readable.from((response.body ?? []) as AsyncIterable<Uint8Array>);
      try {
        if (file === undefined) {
          await print(body, terminal.stdout);
          return;
        }
        const bytes = await keep(body, file);
        output.result({ file, format, bytes }, () => ({ file, format, size: formatBytes(bytes) }));
      } catch (error) {
        if (terminal.signal.aborted) throw error;
        const { code, message, syscall } = error as NodeJS.ErrnoException;
        const [name, told] = syscall === undefined ? ['DOWNLOAD_BROKEN_OFF', 'The download broke off: '] : [code, ''];
        throw new Failure({ attempt, code: name ?? 'DISK', message: told + message, cause: error });
      }
    });
}

/** The server reads the shop again for each part, and returns parts as large as its limits allow. */
async function readPreview(client: ApiClient, limit: number): Promise<FeedPreview> {
  const parts: FeedPreview[] = [];
  let offset: number | null = 0;
  for (let count = 0; offset !== null && count < limit;) {
    const query = queryOf({ limit: Math.min(limit - count, LARGEST_PART), offset });
    const part: FeedPreview = await client.call<FeedPreview>('preview the feed', 'GET', `/feed/preview${query}`);
    parts.push(part);
    count += part.items.length + part.excluded.length;
    offset = part.next_offset;
  }
  return {
    items: parts.flatMap(({ items }) => items),
    excluded: parts.flatMap(({ excluded }) => excluded),
    next_offset: offset,
  };
}

/** A reader such as `head`, that goes before all is written, is content. */
async function print(body: Readable, stdout: Writable): Promise<void> {
  await pipeline(body, stdout, { end: false }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  });
}

/** The file is there whole or as it was. Answers its size in bytes. */
async function keep(body: Readable, path: string): Promise<number> {
  const part = `${path}.part`;
  const file = await open(part, 'w');
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      await file.appendFile(chunk);
      bytes += chunk.length;
    }
    await file.sync();
    await file.close();
    await rename(part, path);
    return bytes;
  } catch (error) {
    await file.close();
    await rm(part, { force: true });
    throw error;
  }
}
