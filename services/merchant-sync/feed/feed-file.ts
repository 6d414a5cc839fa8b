import { type FeedFormat, type FeedItem, feedItemSchema } from '@sluice/contracts';

/** In the order of the file's columns; all but the product's own ids. */
const MEMBERS = feedItemSchema.omit({ product_id: true, variation_id: true }).keyof().options;

/** These are RSS's own; all others are in the namespace `g`. */
const OF_RSS: ReadonlySet<string> = new Set(['title', 'description', 'link']);

export interface FeedFileOptions {
  readonly format: FeedFormat;
  /** Of the channel, while no item names the shop's address. */
  readonly fallbackLink: string;
}

/** Writes the feed file, one item at a time. */
export function feedFile(
  items: AsyncIterable<FeedItem>,
  { format, fallbackLink }: FeedFileOptions,
): AsyncGenerator<string> {
  return format === 'rss' ? rss(items, fallbackLink) : tsv(items);
}

async function* rss(items: AsyncIterable<FeedItem>, fallbackLink: string): AsyncGenerator<string> {
  const head = (link: string) =>
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">\n<channel>\n' +
    `<title>Products</title>\n${element('link', link)}\n<description>What this shop sells.</description>\n`;
  let begun = false;
  for await (const item of items) {
    if (!begun) yield head(`${new URL(item.link).origin}/`);
    begun = true;
    const members = MEMBERS.flatMap((name) => elements(OF_RSS.has(name) ? name : `g:${name}`, item[name]));
    yield `<item>\n${members.join('\n')}\n</item>\n`;
  }
  if (!begun) yield head(fallbackLink);
  yield '</channel>\n</rss>\n';
}

type Value = FeedItem[keyof FeedItem];

function elements(name: string, value: Value): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return [element(name, value)];
  return value.map((each) => {
    if (typeof each === 'string') return element(name, each);
    const parts = Object.entries(each).map(([part, text]) => element(`g:${part}`, text));
    return `<${name}>${parts.join('')}</${name}>`;
  });
}

function element(name: string, text: string): string {
  return `<${name}>${text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')}</${name}>`;
}

/** No quoting: a value has no tab and no line end (IANA, text/tab-separated-values). */
async function* tsv(items: AsyncIterable<FeedItem>): AsyncGenerator<string> {
  yield `${MEMBERS.join('\t')}\n`;
  for await (const item of items) yield `${MEMBERS.map((name) => cell(name, item[name])).join('\t')}\n`;
}

function cell(name: string, value: Value): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.replace(/\s+/gu, ' ').trim();
  // A column holds one type alone: its value may have commas.
  const listed = name === 'product_type' ? value.slice(0, 1) : value;
  return listed
    .map((each) => {
      if (typeof each === 'string') return name === 'product_type' ? each : each.replace(/,/g, '%2C');
      const separated =
        'rate' in each ? [each.country, '', each.rate, ''] : [each.country, '', each.service, each.price];
      return separated.map((part) => part.replace(/[:,\s]+/gu, ' ')).join(':');
    })
    .join(',');
}
