import { z } from 'zod';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import type { Offer, OfferRef, Price } from '../products/domain/offer';
import { batchOutcomes, type ItemAnswer } from './batch-outcomes';
import { productStatus, reportedStatus } from './listing-status';
import { measureOf } from './merchant-api';
import type {
  Outcome,
  RemoteAccess,
  RemoteAccount,
  RemoteCatalog,
  RemoteOptions,
  RemoteStatus,
} from './remote-catalog';
import { remoteFault } from './remote-fault';
import { readJson, type RemoteHttp } from './remote-http';

const MAX_BATCH = 1_000;
const STATUSES_PAGE = 250;

const authinfo = z.object({
  accountIdentifiers: z
    .array(z.object({ merchantId: z.string().optional(), aggregatorId: z.string().optional() }))
    .default([]),
});

const account = z.object({ name: z.string().optional() });

const batchReply = z.object({
  entries: z
    .array(
      z.object({
        batchId: z.number(),
        errors: z
          .object({
            code: z.coerce.number().optional(),
            message: z.string().optional(),
            errors: z.array(z.unknown()).default([]),
          })
          .optional(),
      }),
    )
    .default([]),
});

const statusesPage = z.object({
  resources: z.array(productStatus.extend({ productId: z.string() })).default([]),
  nextPageToken: z.string().optional(),
});

/** The Content API, version 2.1, whose public host no longer responds. */
export class ContentApi implements RemoteCatalog {
  readonly adapter = 'content_api_v21';
  readonly maxBatch = MAX_BATCH;
  private readonly base: string;

  constructor(
    settings: Pick<MerchantSyncSettings, 'contentApiBaseUrl'>,
    private readonly http: RemoteHttp,
  ) {
    this.base = settings.contentApiBaseUrl;
  }

  async accounts(access: Omit<RemoteAccess, 'accountId'>, options: RemoteOptions): Promise<RemoteAccount[]> {
    const get = <Schema extends z.ZodType>(path: string, schema: Schema) =>
      this.http.json(access, { method: 'GET', url: `${this.base}/${path}` }, schema, options);
    const { accountIdentifiers } = await get('accounts/authinfo', authinfo);
    const accounts: RemoteAccount[] = [];
    for (const { merchantId, aggregatorId } of accountIdentifiers) {
      const id = merchantId ?? aggregatorId;
      if (id === undefined) continue;
      const { name = id } = await get(`${id}/accounts/${id}`, account);
      accounts.push({ id, name });
    }
    return accounts;
  }

  /** Nothing is needed beforehand. */
  async prepare(): Promise<void> {}

  upsert(access: RemoteAccess, offers: readonly Offer[], options: RemoteOptions): Promise<readonly Outcome[]> {
    return this.batch(access, offers, options, (offer) => ({ method: 'insert', product: productOf(offer) }));
  }

  remove(access: RemoteAccess, offers: readonly OfferRef[], options: RemoteOptions): Promise<readonly Outcome[]> {
    return this.batch(access, offers, options, (offer) => ({ method: 'delete', productId: productId(offer) }));
  }

  async *statuses(access: RemoteAccess, options: RemoteOptions): AsyncIterable<readonly RemoteStatus[]> {
    const url = `${this.base}/${access.accountId}/productstatuses`;
    const query = { maxResults: String(STATUSES_PAGE) };
    for await (const { resources } of this.http.pages(access, { url, query }, statusesPage, options)) {
      yield resources.map((resource) => ({
        offerId: resource.productId.split(':').slice(3).join(':'),
        remoteProductId: resource.productId,
        ...reportedStatus(resource),
      }));
    }
  }

  private batch<Item extends OfferRef>(
    access: RemoteAccess,
    items: readonly Item[],
    options: RemoteOptions,
    request: (item: Item) => { readonly method: 'insert' | 'delete' } & object,
  ): Promise<Outcome[]> {
    return batchOutcomes({
      ...{ http: this.http, access, items, options },
      remoteProductId: productId,
      send: async (sent) => {
        const entries = sent.map((item, batchId) => ({ batchId, merchantId: access.accountId, ...request(item) }));
        const body = { type: 'application/json', text: JSON.stringify({ entries }) };
        const call = { method: 'POST', url: `${this.base}/products/batch`, body, parts: entries.length } as const;
        const { text, token } = await this.http.call(access, call, options);
        const told = new Map(readJson(text, batchReply).entries.map((entry) => [entry.batchId, entry]));
        const answers = entries.map(({ batchId, method }): ItemAnswer => {
          const entry = told.get(batchId);
          if (entry === undefined) return undefined;
          const { errors } = entry;
          if (errors === undefined || (method === 'delete' && errors.code === 404)) return 'done';
          return remoteFault({ status: errors.code ?? 400, body: JSON.stringify({ error: errors }) });
        });
        return { answers, token };
      },
    });
  }
}

/** `channel:contentLanguage:feedLabel:offerId`. */
function productId({ channel, contentLanguage, targetCountry, offerId }: OfferRef): string {
  return [channel, contentLanguage, targetCountry, offerId].join(':');
}

function productOf({ offerId, contentLanguage, targetCountry, channel, attributes }: Offer): object {
  const { price, salePrice, availability, size, shipping, shippingWeight, tax, ...plain } = attributes;
  return {
    ...{ offerId, contentLanguage, targetCountry, feedLabel: targetCountry, channel },
    ...plain,
    price: priceOf(price),
    salePrice: salePrice && priceOf(salePrice),
    availability: availability.replaceAll('_', ' '),
    sizes: size === undefined ? undefined : [size],
    shipping: shipping?.map((rate) => ({ ...rate, price: priceOf(rate.price) })),
    shippingWeight: measureOf(shippingWeight),
    taxes: tax?.map(({ country, rate }) => ({ country, rate: Number(rate) })),
  };
}

const priceOf = ({ value, currency }: Price) => ({ value, currency });
