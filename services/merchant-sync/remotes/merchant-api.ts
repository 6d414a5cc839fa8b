import { z } from 'zod';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { amountMicros } from '../products/domain/money';
import type { Offer, OfferRef, Price } from '../products/domain/offer';
import { batchOutcomes, type ItemAnswer } from './batch-outcomes';
import { productStatus, reportedStatus } from './listing-status';
import { answersIn, multipartOf, type PartRequest } from './multipart';
import {
  RemoteError,
  type Outcome,
  type RemoteAccess,
  type RemoteAccount,
  type RemoteCatalog,
  type RemoteOptions,
  type RemoteStatus,
  type RemoteTarget,
} from './remote-catalog';
import { remoteFault } from './remote-fault';
import type { RemoteHttp } from './remote-http';

/** The merchant API becomes slow with larger batches. */
const MAX_BATCH = 100;
const ACCOUNTS_PAGE = 500;
const DATA_SOURCES_PAGE = 1_000;
const PRODUCTS_PAGE = 1_000;
const DATA_SOURCE_NAME = 'Sluice';

const nextPageToken = z.string().optional();

const accountsPage = z.object({
  accounts: z.array(z.object({ name: z.string(), accountName: z.string().optional() })).default([]),
  nextPageToken,
});

const registration = z.object({ gcpIds: z.array(z.string()).default([]) });

const dataSource = z.object({
  name: z.string(),
  displayName: z.string().optional(),
  input: z.string().optional(),
  primaryProductDataSource: z
    .object({
      legacyLocal: z.boolean().default(false),
      feedLabel: z.string().optional(),
      contentLanguage: z.string().optional(),
    })
    .optional(),
});
type DataSource = z.infer<typeof dataSource>;
const dataSourcesPage = z.object({ dataSources: z.array(dataSource).default([]), nextPageToken });

const productsPage = z.object({
  products: z
    .array(z.object({ name: z.string(), offerId: z.string(), productStatus: productStatus.prefault({}) }))
    .default([]),
  nextPageToken,
});
/** Spares the products' own texts. */
const STATUS_FIELDS =
  'nextPageToken,products(name,offerId,productStatus(destinationStatuses,itemLevelIssues,googleExpirationDate))';

/** The Merchant API, version 1. */
export class MerchantApi implements RemoteCatalog {
  readonly adapter = 'merchant_api_v1';
  readonly maxBatch = MAX_BATCH;
  private readonly base: string;
  /** Accounts that this process registered its client with, or found it registered. */
  private readonly registered = new Set<string>();
  /** Names of data sources, by account and target. */
  private readonly dataSources = new Map<string, string>();

  constructor(
    settings: Pick<MerchantSyncSettings, 'merchantApiBaseUrl'>,
    private readonly http: RemoteHttp,
  ) {
    this.base = settings.merchantApiBaseUrl;
  }

  async accounts(access: Omit<RemoteAccess, 'accountId'>, options: RemoteOptions): Promise<RemoteAccount[]> {
    const accounts: RemoteAccount[] = [];
    for await (const page of this.pages(access, '/accounts/v1/accounts', ACCOUNTS_PAGE, accountsPage, options)) {
      for (const { name, accountName } of page.accounts) {
        const id = lastPart(name);
        accounts.push({ id, name: accountName ?? id });
      }
    }
    return accounts;
  }

  async prepare(
    access: RemoteAccess,
    target: RemoteTarget & { readonly email: string },
    options: RemoteOptions,
  ): Promise<void> {
    await this.register(access, target.email, options);
    this.dataSources.delete(targetKey(access, target));
    await this.dataSource(access, target, options);
  }

  async upsert(access: RemoteAccess, offers: readonly Offer[], options: RemoteOptions): Promise<readonly Outcome[]> {
    return this.batch(access, offers, options, (offer, source) => ({
      method: 'POST',
      path: `/products/v1/accounts/${access.accountId}/productInputs:insert?dataSource=${encodeURIComponent(source)}`,
      json: productInput(offer),
    }));
  }

  async remove(access: RemoteAccess, offers: readonly OfferRef[], options: RemoteOptions): Promise<readonly Outcome[]> {
    return this.batch(access, offers, options, (offer, source) => {
      const name = Buffer.from(productId(offer)).toString('base64url');
      const path = `/products/v1/accounts/${access.accountId}/productInputs/${name}`;
      return { method: 'DELETE', path: `${path}?dataSource=${encodeURIComponent(source)}` };
    });
  }

  async *statuses(access: RemoteAccess, options: RemoteOptions): AsyncIterable<readonly RemoteStatus[]> {
    const path = `/products/v1/accounts/${access.accountId}/products`;
    const query = { fields: STATUS_FIELDS };
    for await (const { products } of this.pages(access, path, PRODUCTS_PAGE, productsPage, options, query)) {
      yield products.map(({ name, offerId, productStatus: status }) => ({
        ...{ offerId, remoteProductId: name },
        ...reportedStatus(status),
      }));
    }
  }

  private pages<Page extends { readonly nextPageToken?: string | undefined }>(
    access: Omit<RemoteAccess, 'accountId'>,
    path: string,
    pageSize: number,
    schema: z.ZodType<Page>,
    options: RemoteOptions,
    query: Readonly<Record<string, string>> = {},
  ): AsyncGenerator<Page> {
    const first = { url: `${this.base}${path}`, query: { pageSize: String(pageSize), ...query } };
    return this.http.pages(access, first, schema, options);
  }

  /**
   * Registers the client's project with the account, which the Merchant API requires once. When it rejects the
   * registration, another account may have registered the project; later calls report an error if not.
   */
  private async register(access: RemoteAccess, email: string, options: RemoteOptions): Promise<void> {
    const { accountId } = access;
    if (this.registered.has(accountId)) return;
    const url = `${this.base}/accounts/v1/accounts/${accountId}/developerRegistration`;
    try {
      const known = await this.http
        .json(access, { method: 'GET', url }, registration, options)
        .catch(undefinedIfRefused);
      if (known === undefined || known.gcpIds.length === 0) {
        // Refused without one: a later run may know it.
        if (email === '') return;
        const body = { type: 'application/json', text: JSON.stringify({ developerEmail: email }) };
        await this.http.call(access, { method: 'POST', url: `${url}:registerGcp`, body }, options);
      }
      this.registered.add(accountId);
    } catch (error) {
      undefinedIfRefused(error);
    }
  }

  /** The name of the data source that takes the offers of a target: one that there is, else a new one. */
  private async dataSource(access: RemoteAccess, target: RemoteTarget, options: RemoteOptions): Promise<string> {
    const key = targetKey(access, target);
    const known = this.dataSources.get(key);
    if (known !== undefined) return known;
    const path = `/datasources/v1/accounts/${access.accountId}/dataSources`;
    const fitting: DataSource[] = [];
    for await (const page of this.pages(access, path, DATA_SOURCES_PAGE, dataSourcesPage, options)) {
      fitting.push(...page.dataSources.filter((source) => takes(source, target)));
    }
    const own = fitting.find(({ displayName }) => displayName?.startsWith(DATA_SOURCE_NAME)) ?? fitting[0];
    const name = own?.name ?? (await this.createDataSource(access, target, options));
    this.dataSources.set(key, name);
    return name;
  }

  private async createDataSource(access: RemoteAccess, target: RemoteTarget, options: RemoteOptions): Promise<string> {
    const { targetCountry, contentLanguage, channel } = target;
    const created = {
      displayName: `${DATA_SOURCE_NAME} ${contentLanguage} ${targetCountry}${channel === 'local' ? ' local' : ''}`,
      primaryProductDataSource: {
        feedLabel: targetCountry,
        contentLanguage,
        countries: [targetCountry],
        ...(channel === 'local' && { legacyLocal: true }),
      },
    };
    const body = { type: 'application/json', text: JSON.stringify(created) };
    const url = `${this.base}/datasources/v1/accounts/${access.accountId}/dataSources`;
    return (await this.http.json(access, { method: 'POST', url, body }, dataSource, options)).name;
  }

  private batch<Item extends OfferRef>(
    access: RemoteAccess,
    items: readonly Item[],
    options: RemoteOptions,
    request: (item: Item, dataSource: string) => PartRequest,
  ): Promise<Outcome[]> {
    return batchOutcomes({
      ...{ http: this.http, access, items, options },
      remoteProductId: (item) => `accounts/${access.accountId}/products/${productId(item)}`,
      send: async (sent) => {
        const parts: PartRequest[] = [];
        for (const item of sent) parts.push(request(item, await this.dataSource(access, item, options)));
        const call = { method: 'POST', url: `${this.base}/batch/products/v1`, body: multipartOf(parts) } as const;
        const { type, text, token } = await this.http.call(access, { ...call, parts: parts.length }, options);
        const found = answersIn(type, text);
        if (found === undefined) {
          throw new RemoteError('unavailable', 'The response of Google does not match the batch.');
        }
        const answers = parts.map(({ method }, index): ItemAnswer => {
          const answer = found.get(index);
          if (answer === undefined) return undefined;
          const done = answer.status < 300 || (method === 'DELETE' && answer.status === 404);
          return done ? 'done' : remoteFault(answer);
        });
        return { answers, token };
      },
    });
  }
}

/** `contentLanguage~feedLabel~offerId`, with `local~` in front of a local one. */
function productId({ channel, contentLanguage, targetCountry, offerId }: OfferRef): string {
  return `${channel === 'local' ? 'local~' : ''}${contentLanguage}~${targetCountry}~${offerId}`;
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

const targetKey = ({ accountId }: RemoteAccess, { targetCountry, contentLanguage, channel }: RemoteTarget) =>
  [accountId, targetCountry, contentLanguage, channel].join(' ');

/** Whether offers of the target may be pushed into it. */
function takes({ input, primaryProductDataSource: primary }: DataSource, target: RemoteTarget): boolean {
  if (input !== 'API' || primary === undefined || primary.legacyLocal !== (target.channel === 'local')) return false;
  const ofAny = primary.feedLabel === undefined && primary.contentLanguage === undefined;
  return ofAny || (primary.feedLabel === target.targetCountry && primary.contentLanguage === target.contentLanguage);
}

/** @throws whatever it is given that is no refusal of the request itself */
function undefinedIfRefused(error: unknown): undefined {
  const fault = error instanceof RemoteError ? error.fault : undefined;
  if (fault !== 'refused' && fault !== 'forbidden') throw error;
  return undefined;
}

function productInput({ offerId, contentLanguage, targetCountry, channel, attributes }: Offer): object {
  const { price, salePrice, salePriceEffectiveDate, availability, condition, gtin, ...others } = attributes;
  const { gender, ageGroup, shipping, shippingWeight, ...plain } = others;
  return {
    ...{ offerId, contentLanguage, feedLabel: targetCountry },
    ...(channel === 'local' && { legacyLocal: true }),
    productAttributes: {
      ...plain,
      // The Merchant API has none.
      tax: undefined,
      price: inMicros(price),
      salePrice: salePrice && inMicros(salePrice),
      salePriceEffectiveDate: intervalOf(salePriceEffectiveDate),
      availability: availability.toUpperCase(),
      condition: condition.toUpperCase(),
      gtins: gtin === undefined ? undefined : [gtin],
      gender: gender?.toUpperCase(),
      ageGroup: ageGroup?.toUpperCase(),
      shipping: shipping?.map((rate) => ({ ...rate, price: inMicros(rate.price) })),
      shippingWeight: measureOf(shippingWeight),
    },
  };
}

const inMicros = (price: Price) => ({ amountMicros: amountMicros(price), currencyCode: price.currency });

function intervalOf(dates: string | undefined): { readonly startTime: string; readonly endTime: string } | undefined {
  const [startTime, endTime] = dates?.split('/') ?? [];
  return startTime === undefined || endTime === undefined ? undefined : { startTime, endTime };
}

/** `1.2 kg` as a number and its unit. */
export function measureOf(text: string | undefined): { readonly value: number; readonly unit: string } | undefined {
  const [, value, unit] = /^([\d.]+) ?([a-z]+)$/i.exec(text ?? '') ?? [];
  return value === undefined || unit === undefined ? undefined : { value: Number(value), unit };
}
