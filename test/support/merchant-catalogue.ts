import { CONTENT_FAILURES, failureReply, refusal, type Failure, type Reply } from './merchant-reply';

/** An offer that the remote holds, whichever interface brought it. */
export interface HeldOffer {
  readonly accountId: string;
  readonly channel: 'online' | 'local';
  readonly contentLanguage: string;
  readonly feedLabel: string;
  readonly offerId: string;
  /** As it was sent. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** What the remote thinks of an offer. */
export interface Review {
  /** `unknown`: it says nothing yet. */
  readonly status: 'approved' | 'pending' | 'disapproved' | 'unknown';
  readonly issues?: readonly {
    readonly code: string;
    readonly severity: 'NOT_IMPACTED' | 'DEMOTED' | 'DISAPPROVED';
    readonly attribute?: string;
    readonly description: string;
  }[];
  readonly expiresAt?: string;
}

interface DataSource {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const DAY_MS = 86_400_000;

const ATTRIBUTES = new Set([
  ...['title', 'description', 'link', 'imageLink', 'additionalImageLinks', 'price', 'salePrice'],
  ...['salePriceEffectiveDate', 'availability', 'availabilityDate', 'condition', 'brand', 'gtins', 'mpn'],
  ...['itemGroupId', 'googleProductCategory', 'productTypes', 'color', 'size', 'material', 'pattern', 'gender'],
  ...['ageGroup', 'shipping', 'shippingLabel', 'shippingWeight'],
]);
const AVAILABILITIES = new Set(['IN_STOCK', 'OUT_OF_STOCK', 'PREORDER', 'LIMITED_AVAILABILITY', 'BACKORDER']);

const ENTRY_MEMBERS = new Set([
  ...['kind', 'offerId', 'contentLanguage', 'feedLabel', 'targetCountry', 'channel', 'title', 'description', 'link'],
  ...['imageLink', 'additionalImageLinks', 'price', 'salePrice', 'salePriceEffectiveDate', 'availability'],
  ...['availabilityDate', 'condition', 'brand', 'gtin', 'mpn', 'itemGroupId', 'googleProductCategory'],
  ...['productTypes', 'color', 'sizes', 'material', 'pattern', 'gender', 'ageGroup', 'shipping', 'shippingLabel'],
  ...['shippingWeight', 'taxes'],
]);
const ENTRY_AVAILABILITIES = new Set(['in stock', 'out of stock', 'preorder', 'backorder']);

/** The catalogue of the loopback remote, as both of its interfaces show it. */
export class MerchantCatalogue {
  accounts: { id: string; name: string }[] = [{ id: '5551234567', name: 'Shop' }];
  /** By account, channel, language, label and id. */
  readonly offers = new Map<string, HeldOffer>();
  /** Ids of the offers that were taken and removed, in their order. */
  readonly upserted: string[] = [];
  readonly removed: string[] = [];
  /** Offers that it acknowledges and keeps nothing of. */
  forgets: (offerId: string) => boolean = () => false;
  review: (offer: HeldOffer) => Review = () => ({ status: 'approved' });
  /** How many rows it gives of a list at most, whatever is asked for. */
  largestPage = 1_000;
  /** Whether accounts want the client's project registered first. */
  wantsRegistration = true;
  readonly registered = new Set<string>();
  private readonly dataSources: DataSource[] = [];

  constructor(
    /** A failure that is due for this offer. */
    private readonly failureOf: (offerId: string) => Failure | undefined,
  ) {}

  /** The only offer of this id. */
  offer(offerId: string): HeldOffer | undefined {
    return [...this.offers.values()].find((held) => held.offerId === offerId);
  }

  listAccounts(query: URLSearchParams): Reply {
    return this.page('accounts', this.accounts, query, ({ id, name }) => ({
      name: `accounts/${id}`,
      accountId: id,
      accountName: name,
      languageCode: 'en-US',
      timeZone: { id: 'America/Los_Angeles' },
    }));
  }

  registration(accountId: string): Reply {
    if (!this.registered.has(accountId)) return refusal(404, 'NOT_FOUND', 'REGISTRATION_NOT_FOUND');
    return { status: 200, json: { name: `accounts/${accountId}/developerRegistration`, gcpIds: ['1'] } };
  }

  register(accountId: string, body: unknown): Reply {
    const { developerEmail } = body as { developerEmail?: unknown };
    if (typeof developerEmail !== 'string' || !developerEmail.includes('@')) {
      return refusal(400, 'INVALID_ARGUMENT', 'INVALID_EMAIL');
    }
    this.registered.add(accountId);
    return this.registration(accountId);
  }

  /** The refusal that every call for this account gets; undefined: none. */
  refusalFor(accountId: string, needsRegistration: boolean): Reply | undefined {
    if (!this.accounts.some(({ id }) => id === accountId)) {
      return refusal(403, 'PERMISSION_DENIED', 'PERMISSION_DENIED_ACCOUNTS');
    }
    if (needsRegistration && this.wantsRegistration && !this.registered.has(accountId)) {
      return refusal(401, 'UNAUTHENTICATED', 'GCP_NOT_REGISTERED');
    }
    return undefined;
  }

  listDataSources(accountId: string, query: URLSearchParams): Reply {
    const own = this.dataSources.filter(({ name }) => name.startsWith(`accounts/${accountId}/`));
    return this.page('dataSources', own, query, ({ name, body }) => ({ name, ...body }));
  }

  createDataSource(accountId: string, body: unknown): Reply {
    const given = body as { displayName?: string; primaryProductDataSource?: object };
    if (given.displayName === undefined || given.primaryProductDataSource === undefined) {
      return refusal(400, 'INVALID_ARGUMENT', 'REQUIRED_FIELD_MISSING');
    }
    const id = String(10_000 + this.dataSources.length);
    const name = `accounts/${accountId}/dataSources/${id}`;
    this.dataSources.push({ name, body: { dataSourceId: id, input: 'API', ...given } });
    return { status: 200, json: { name, dataSourceId: id, input: 'API', ...given } };
  }

  get dataSourceCount(): number {
    return this.dataSources.length;
  }

  /** `productInputs:insert` of the Merchant API. */
  insert(accountId: string, dataSource: string, body: unknown): Reply {
    const input = body as Record<string, unknown> & { productAttributes?: Record<string, unknown> };
    const { offerId, contentLanguage, feedLabel, legacyLocal = false, productAttributes = {} } = input;
    if (typeof offerId !== 'string') return refusal(400, 'INVALID_ARGUMENT', 'REQUIRED_FIELD_MISSING');
    const failure = this.failureOf(offerId);
    if (failure !== undefined) return failureReply(failure);
    const source = this.dataSources.find(({ name }) => name === dataSource);
    if (source === undefined) return refusal(404, 'NOT_FOUND', 'DATA_SOURCE_NOT_FOUND');
    const primary = source.body['primaryProductDataSource'] as Record<string, unknown>;
    const fits =
      (primary['feedLabel'] ?? feedLabel) === feedLabel &&
      (primary['contentLanguage'] ?? contentLanguage) === contentLanguage &&
      (primary['legacyLocal'] ?? false) === legacyLocal;
    if (!fits) return refusal(400, 'INVALID_ARGUMENT', 'DATA_SOURCE_MISMATCH');
    const wrong = Object.keys(productAttributes).find((name) => !ATTRIBUTES.has(name)) ?? faultIn(productAttributes);
    if (wrong !== undefined) return refusal(400, 'INVALID_ARGUMENT', 'INVALID_VALUE', `[${wrong}] is not valid.`);
    const offer = {
      accountId,
      channel: legacyLocal === true ? 'local' : 'online',
      contentLanguage: String(contentLanguage),
      feedLabel: String(feedLabel),
      offerId,
      attributes: productAttributes,
      updatedAt: Date.now(),
    } as const;
    this.hold(offer);
    const name = nameOf(offer);
    const encoded = Buffer.from(name).toString('base64url');
    return {
      status: 200,
      json: {
        name: `accounts/${accountId}/productInputs/${encoded}`,
        product: `accounts/${accountId}/products/${name}`,
        ...input,
      },
    };
  }

  /** `DELETE productInputs/{name}`: the name in the clear or as base64url. */
  delete(accountId: string, name: string): Reply {
    const plain = name.includes('~') ? name : Buffer.from(name, 'base64url').toString();
    const [key, held] =
      [...this.offers].find(([, offer]) => offer.accountId === accountId && nameOf(offer) === plain) ?? [];
    const failure = this.failureOf(plain.slice(plain.lastIndexOf('~') + 1));
    if (failure !== undefined) return failureReply(failure);
    if (key === undefined || held === undefined) return refusal(404, 'NOT_FOUND', 'PRODUCT_NOT_FOUND');
    this.offers.delete(key);
    this.removed.push(held.offerId);
    return { status: 200, json: {} };
  }

  listProducts(accountId: string, query: URLSearchParams): Reply {
    return this.page('products', this.ofAccount(accountId), query, (offer) => {
      const { status, issues = [], expiresAt } = this.review(offer);
      const name = nameOf(offer);
      return {
        name: `accounts/${accountId}/products/${name}`,
        ...(offer.channel === 'local' && { legacyLocal: true }),
        offerId: offer.offerId,
        contentLanguage: offer.contentLanguage,
        feedLabel: offer.feedLabel,
        productStatus: {
          ...(status !== 'unknown' && {
            destinationStatuses: [
              { reportingContext: 'FREE_LISTINGS', approvedCountries: [offer.feedLabel] },
              { reportingContext: 'SHOPPING_ADS', [`${status}Countries`]: [offer.feedLabel] },
            ],
          }),
          ...(issues.length > 0 && {
            itemLevelIssues: issues.map((issue) => ({
              ...issue,
              resolution: 'merchant_action',
              reportingContext: 'SHOPPING_ADS',
              detail: 'Look at it.',
              documentation: 'https://support.example/1',
              applicableCountries: [offer.feedLabel],
            })),
          }),
          googleExpirationDate: expiresAt ?? expiryOf(offer),
        },
      };
    });
  }

  authinfo(): Reply {
    return {
      status: 200,
      json: {
        kind: 'content#accountsAuthInfoResponse',
        accountIdentifiers: this.accounts.map(({ id }) => ({ merchantId: id })),
      },
    };
  }

  account(accountId: string): Reply {
    const { id, name } = this.accounts.find((account) => account.id === accountId)!;
    return { status: 200, json: { kind: 'content#account', id, name } };
  }

  /** One entry of `products/batch` of the Content API. */
  entry(given: Readonly<Record<string, unknown>>): object {
    const { batchId, merchantId, method, product, productId } = given as {
      batchId: number;
      merchantId: string;
      method: string;
      product?: Record<string, unknown> & { offerId: string };
      productId?: string;
    };
    const answer = { kind: 'content#productsCustomBatchResponseEntry', batchId };
    const refused = (code: number, reason: string, message = `It is ${reason}.`) => ({
      ...answer,
      errors: { errors: [{ domain: 'content.ContentErrorDomain', reason, message }], code, message },
    });
    if (this.refusalFor(merchantId, false) !== undefined) return refused(403, 'auth/account_access_denied');
    const offerId = product?.offerId ?? productId?.split(':').slice(3).join(':') ?? '';
    const failure = this.failureOf(offerId);
    if (failure !== undefined) {
      const { status, reason } = CONTENT_FAILURES[failure];
      return refused(status, reason);
    }
    if (method === 'delete') {
      const key = [...this.offers].find(
        ([, offer]) => offer.accountId === merchantId && idOf(offer) === productId,
      )?.[0];
      if (key === undefined) return refused(404, 'notFound', 'item not found');
      this.offers.delete(key);
      this.removed.push(offerId);
      return answer;
    }
    if (method !== 'insert' || product === undefined) return refused(400, 'invalid');
    const wrong = Object.keys(product).find((name) => !ENTRY_MEMBERS.has(name)) ?? entryFaultIn(product);
    if (wrong !== undefined) return refused(400, 'invalid', `[${wrong}] is not valid.`);
    const offer: HeldOffer = {
      accountId: merchantId,
      channel: product['channel'] === 'local' ? 'local' : 'online',
      contentLanguage: String(product['contentLanguage']),
      feedLabel: String(product['feedLabel'] ?? product['targetCountry']),
      offerId,
      attributes: product,
      updatedAt: Date.now(),
    };
    this.hold(offer);
    return { ...answer, product: { kind: 'content#product', id: idOf(offer), ...product } };
  }

  listStatuses(accountId: string, query: URLSearchParams): Reply {
    return this.page('resources', this.ofAccount(accountId), query, (offer) => {
      const { status, issues = [], expiresAt } = this.review(offer);
      return {
        kind: 'content#productStatus',
        productId: idOf(offer),
        title: offer.attributes['title'],
        ...(status !== 'unknown' && {
          destinationStatuses: [
            { destination: 'SurfacesAcrossGoogle', status: 'approved', approvedCountries: [offer.feedLabel] },
            { destination: 'Shopping', status, [`${status}Countries`]: [offer.feedLabel] },
          ],
        }),
        ...(issues.length > 0 && {
          itemLevelIssues: issues.map(({ code, severity, attribute, description }) => ({
            ...{ code, description },
            ...(attribute !== undefined && { attributeName: attribute }),
            servability: severity === 'NOT_IMPACTED' ? 'unaffected' : severity.toLowerCase(),
            resolution: 'merchant_action',
            destination: 'Shopping',
            detail: 'Look at it.',
            documentation: 'https://support.example/1',
            applicableCountries: [offer.feedLabel],
          })),
        }),
        googleExpirationDate: expiresAt ?? expiryOf(offer),
      };
    });
  }

  private ofAccount(accountId: string): HeldOffer[] {
    return [...this.offers.values()].filter((offer) => offer.accountId === accountId);
  }

  private hold(offer: HeldOffer): void {
    this.upserted.push(offer.offerId);
    if (!this.forgets(offer.offerId)) this.offers.set(`${offer.accountId} ${idOf(offer)}`, offer);
  }

  private page<Item>(
    member: string,
    items: readonly Item[],
    query: URLSearchParams,
    shown: (item: Item) => object,
  ): Reply {
    const asked = Number(query.get('pageSize') ?? query.get('maxResults') ?? 25);
    const from = Number(query.get('pageToken') ?? 0);
    const to = from + Math.min(asked, this.largestPage);
    const rows = items.slice(from, to).map(shown);
    return {
      status: 200,
      json: { ...(rows.length > 0 && { [member]: rows }), ...(to < items.length && { nextPageToken: String(to) }) },
    };
  }
}

function nameOf({ channel, contentLanguage, feedLabel, offerId }: HeldOffer): string {
  return `${channel === 'local' ? 'local~' : ''}${contentLanguage}~${feedLabel}~${offerId}`;
}

const idOf = ({ channel, contentLanguage, feedLabel, offerId }: HeldOffer): string =>
  `${channel}:${contentLanguage}:${feedLabel}:${offerId}`;

const expiryOf = ({ updatedAt }: HeldOffer): string => new Date(updatedAt + 30 * DAY_MS).toISOString();

/** The first attribute whose form is wrong. */
function faultIn(attributes: Readonly<Record<string, unknown>>): string | undefined {
  const { title, link, imageLink, price, availability, gtins, shipping } = attributes;
  if (typeof title !== 'string' || title === '') return 'title';
  if (typeof link !== 'string') return 'link';
  if (typeof imageLink !== 'string') return 'imageLink';
  if (!isMicros(price)) return 'price';
  if (attributes['salePrice'] !== undefined && !isMicros(attributes['salePrice'])) return 'salePrice';
  if (!AVAILABILITIES.has(String(availability))) return 'availability';
  if (gtins !== undefined && !Array.isArray(gtins)) return 'gtins';
  const rates = (shipping ?? []) as { price?: unknown }[];
  return rates.every((rate) => isMicros(rate.price)) ? undefined : 'shipping';
}

function isMicros(price: unknown): boolean {
  const { amountMicros, currencyCode } = (price ?? {}) as { amountMicros?: unknown; currencyCode?: unknown };
  return (
    /^\d+$/.test(String(amountMicros)) && typeof amountMicros === 'string' && /^[A-Z]{3}$/.test(String(currencyCode))
  );
}

function entryFaultIn(product: Readonly<Record<string, unknown>>): string | undefined {
  const { title, link, imageLink, price, availability, channel } = product;
  const { value, currency } = (price ?? {}) as { value?: unknown; currency?: unknown };
  if (typeof title !== 'string' || title === '') return 'title';
  if (typeof link !== 'string') return 'link';
  if (typeof imageLink !== 'string') return 'imageLink';
  if (typeof value !== 'string' || !/^\d+(\.\d+)?$/.test(value) || !/^[A-Z]{3}$/.test(String(currency))) return 'price';
  if (!ENTRY_AVAILABILITIES.has(String(availability))) return 'availability';
  return channel === 'online' || channel === 'local' ? undefined : 'channel';
}
