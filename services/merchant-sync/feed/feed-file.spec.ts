import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { anyCharacter } from '@sluice/testing/any-character';
import fc from 'fast-check';
import type { FeedFormat, FeedItem } from '@sluice/contracts';
import { oneLine, paragraphs } from '../products/domain/listing-text';
import type { Offer } from '../products/domain/offer';
import { feedFile } from './feed-file';
import { feedItem } from './feed-item';

const OFFER: Offer = {
  offerId: 'svc_71',
  productId: '7',
  variationId: '71',
  targetCountry: 'US',
  contentLanguage: 'en',
  channel: 'online',
  attributes: {
    title: 'Shirt <b>&amp; "more"',
    description: 'One\n\ntwo\tthree ]]> 😀',
    link: 'https://shop.example/shirt?a=1&b=2',
    imageLink: 'https://shop.example/1.jpg',
    additionalImageLinks: ['https://shop.example/2,3.jpg', 'https://shop.example/4.jpg'],
    price: { value: '15.00', currency: 'USD' },
    salePrice: { value: '12.00', currency: 'USD' },
    salePriceEffectiveDate: '2026-11-01T00:00:00Z/2026-12-01T00:00:00Z',
    availability: 'backorder',
    availabilityDate: '2027-01-01T00:00:00Z',
    condition: 'new',
    brand: 'Acme',
    gtin: '04006381333931',
    itemGroupId: 'svc_7',
    googleProductCategory: '212',
    productTypes: ['Clothing > Shirts, tops', 'Sale'],
    color: 'Red',
    shipping: [{ country: 'US', service: 'Ground: fast, safe', price: { value: '4.90', currency: 'USD' } }],
    tax: [{ country: 'US', rate: '8.25' }],
  },
};

async function written(items: readonly FeedItem[], format: FeedFormat): Promise<string> {
  // eslint-disable-next-line @typescript-eslint/require-await
  async function* all() {
    yield* items;
  }
  let text = '';
  for await (const part of feedFile(all(), { format, fallbackLink: 'https://sluice.example' })) text += part;
  return text;
}

interface Channel {
  readonly link: string;
  readonly item?: Record<string, unknown>[];
}

function readXml(text: string): Channel {
  expect(XMLValidator.validate(text)).toBe(true);
  const parser = new XMLParser({
    ...{ ignoreAttributes: false, parseTagValue: false, trimValues: false },
    isArray: (name) => ['item', 'g:product_type', 'g:additional_image_link'].includes(name),
  });
  const { rss } = parser.parse(text) as { rss: { channel: Channel; '@_version': string; '@_xmlns:g': string } };
  expect([rss['@_version'], rss['@_xmlns:g']]).toEqual(['2.0', 'http://base.google.com/ns/1.0']);
  return rss.channel;
}

describe('a feed in RSS', () => {
  it('is read back by a parser as it was written', async () => {
    const { link, item } = readXml(await written([feedItem(OFFER)], 'rss'));
    expect(link).toBe('https://shop.example/');
    expect(item?.[0]).toEqual({
      '#text': expect.any(String),
      title: 'Shirt <b>&amp; "more"',
      description: 'One\n\ntwo\tthree ]]> 😀',
      link: 'https://shop.example/shirt?a=1&b=2',
      'g:id': 'svc_71',
      'g:image_link': 'https://shop.example/1.jpg',
      'g:additional_image_link': ['https://shop.example/2,3.jpg', 'https://shop.example/4.jpg'],
      'g:availability': 'backorder',
      'g:availability_date': '2027-01-01T00:00:00Z',
      'g:price': '15.00 USD',
      'g:sale_price': '12.00 USD',
      'g:sale_price_effective_date': '2026-11-01T00:00:00Z/2026-12-01T00:00:00Z',
      'g:item_group_id': 'svc_7',
      'g:condition': 'new',
      'g:brand': 'Acme',
      'g:gtin': '04006381333931',
      'g:google_product_category': '212',
      'g:product_type': ['Clothing > Shirts, tops', 'Sale'],
      'g:color': 'Red',
      'g:shipping': { 'g:country': 'US', 'g:service': 'Ground: fast, safe', 'g:price': '4.90 USD' },
      'g:tax': { 'g:country': 'US', 'g:rate': '8.25' },
    });
  });

  it('of an empty shop is a channel without items', async () => {
    expect(readXml(await written([], 'rss'))).toMatchObject({ link: 'https://sluice.example' });
  });
});

describe('a feed as TSV', () => {
  const rows = (text: string) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t'));

  it('has a column for each member, and writes lists in the forms that Google reads', async () => {
    const [names = [], values = [], ...more] = rows(await written([feedItem(OFFER)], 'tsv'));
    expect(more).toEqual([]);
    expect(values).toHaveLength(names.length);
    expect(names.slice(0, 5)).toEqual(['id', 'title', 'description', 'link', 'image_link']);
    const row = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    expect(row).toMatchObject({
      id: 'svc_71',
      title: 'Shirt <b>&amp; "more"',
      description: 'One two three ]]> 😀',
      availability: 'backorder',
      price: '15.00 USD',
      sale_price: '12.00 USD',
      item_group_id: 'svc_7',
      additional_image_link: 'https://shop.example/2%2C3.jpg,https://shop.example/4.jpg',
      product_type: 'Clothing > Shirts, tops',
      shipping: 'US::Ground fast safe:4.90 USD',
      tax: 'US::8.25:',
      mpn: '',
    });
  });
});

it('whatever the text: XML is well-formed and keeps it, TSV keeps its columns', async () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(text, text, async (title, description) => {
      const attributes = { ...OFFER.attributes, title: oneLine(title), description: paragraphs(description) };
      const item = feedItem({ ...OFFER, attributes });
      const [read] = readXml(await written([item], 'rss')).item ?? [];
      expect(read).toMatchObject({ title: attributes.title, description: attributes.description });
      const lines = (await written([item, item], 'tsv')).split('\n');
      expect(lines).toHaveLength(4);
      expect(new Set(lines.slice(0, 3).map((line) => line.split('\t').length)).size).toBe(1);
    }),
  );
});
