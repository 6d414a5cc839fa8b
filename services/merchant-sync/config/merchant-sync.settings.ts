import { delays, integer, names, onOrOff, remoteAddress, secret, type Settings, type SettingsOf } from '@sluice/config';
import { z } from 'zod';

const storeAddress = remoteAddress.refine(
  (text) => new URL(text).search === '' && new URL(text).username === '',
  'must be the address of the site without a key: that belongs in WOOCOMMERCE_KEY and WOOCOMMERCE_SECRET',
);

const productsAddress = z
  .string()
  .refine(
    (text) => text.startsWith('file:') || remoteAddress.safeParse(text).success,
    'must read file:PATH or be an https address; plain http is for loopback alone',
  )
  .refine(
    (text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === '',
    'must not hold a name or a password',
  );

export const merchantSyncSettings = z
  .object({
    /** The initial value of the listings module’s switch. A later change by the operator takes precedence. */
    MODULE_ENABLED_LISTINGS_ADS: onOrOff(false),
    /**
     * The optional modules that the installation may use at first; the only one is `listings_ads`. A later
     * change by the operator takes precedence.
     */
    ENTITLEMENTS: names,
    /** The shop’s site root; https, or http on loopback. */
    WOOCOMMERCE_URL: storeAddress.optional(),
    /** A REST API key of the shop that may read. */
    WOOCOMMERCE_KEY: secret(z.string().optional()),
    /** The secret of `WOOCOMMERCE_KEY`. */
    WOOCOMMERCE_SECRET: secret(z.string().optional()),
    /** In place of `WOOCOMMERCE_URL`: products as a JSON array or JSON lines, `file:PATH` or an https address. */
    PRODUCTS_JSON_URL: secret(productsAddress.optional()),
    /** The currency of products that name none; a product in another one is excluded. */
    STORE_CURRENCY: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be a currency of ISO 4217, for example EUR')
      .optional(),
    /** Prefix of every offer id, frozen by the first sync. */
    OFFER_ID_PREFIX: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,20}$/, 'may hold 1 to 20 letters, digits, _ and - only')
      .default('svc'),
    /** Whether the shop may have an address of a private network; link-local and cloud metadata addresses never. */
    SOURCE_ALLOW_PRIVATE_ADDRESSES: onOrOff(false),
    /** The size of a whole JSON listing. */
    SOURCE_MAX_BYTES: integer(2_147_483_648, 1),
    /** The pause before the first repeat of a request to the shop; doubled before each further one. */
    SOURCE_RETRY_BASE_MS: integer(1_000, 1),
    /** How long the shop may send no byte. */
    SOURCE_TIMEOUT_MS: integer(30_000, 1),
    /**
     * The OAuth client that asks for access; its authorized redirect URI is
     * `PUBLIC_URL/PLUGIN_NAMESPACE/v1/listings-ads/oauth/callback`.
     */
    OAUTH_CLIENT_ID: z.string().optional(),
    /** The secret of `OAUTH_CLIENT_ID`. */
    OAUTH_CLIENT_SECRET: secret(z.string().optional()),
    /** Where the shop’s owner grants access; https, or http on loopback. */
    OAUTH_AUTHORIZE_URL: remoteAddress.default('https://accounts.google.com/o/oauth2/v2/auth'),
    /** Where tokens are fetched; https, or http on loopback. */
    OAUTH_TOKEN_URL: remoteAddress.default('https://oauth2.googleapis.com/token'),
    /** Where tokens are revoked; https, or http on loopback. */
    OAUTH_REVOKE_URL: remoteAddress.default('https://oauth2.googleapis.com/revoke'),
    /** Where the account’s email address is read; https, or http on loopback. */
    OAUTH_USERINFO_URL: remoteAddress.default('https://openidconnect.googleapis.com/v1/userinfo'),
    /**
     * The number of the merchant account.
     * @default the only one that the Google user can access
     */
    MERCHANT_ACCOUNT_ID: z
      .string()
      .regex(/^\d{1,20}$/, 'must be the number of a merchant account')
      .optional(),
    /**
     * The interface by which offers are sent to the merchant account: `merchant_api_v1` or
     * `content_api_v21`. The latter is deprecated: its public host no longer responds, so it works only with
     * another `CONTENT_API_BASE_URL`.
     */
    REMOTE_CATALOG: z
      .enum(['merchant_api_v1', 'content_api_v21'], { error: 'must be merchant_api_v1 or content_api_v21' })
      .default('merchant_api_v1'),
    /** The address of the Merchant API; https, or http on loopback. */
    MERCHANT_API_BASE_URL: remoteAddress.default('https://merchantapi.googleapis.com'),
    /**
     * The address of the Content API; https, or http on loopback. It ends in `/content/v2.1`. The host of the
     * default no longer responds.
     * @deprecated
     */
    CONTENT_API_BASE_URL: remoteAddress.default('https://shoppingcontent.googleapis.com/content/v2.1'),
    /** The pause before the first repeat of a call to the merchant API; doubled before each further one. */
    REMOTE_RETRY_BASE_MS: integer(1_000, 1),
    /** The timeout of one call to the merchant API. */
    REMOTE_TIMEOUT_MS: integer(30_000, 1),
    /** The pauses between the attempts of a webhook delivery; after the last one it is a dead letter. */
    WEBHOOK_RETRY_DELAYS_MS: delays('60000,300000,1800000,7200000,21600000,43200000,86400000'),
    /** The timeout of one attempt, and of a request to a webhook gate, which has 10 s at most. */
    WEBHOOK_TIMEOUT_MS: integer(10_000, 1),
    /**
     * Whether webhooks and webhook gates may have addresses of private networks; link-local and cloud metadata
     * addresses never.
     */
    WEBHOOK_ALLOW_PRIVATE_ADDRESSES: onOrOff(false),
  })
  .refine(
    (settings) => settings.WOOCOMMERCE_URL === undefined || settings.PRODUCTS_JSON_URL === undefined,
    'WOOCOMMERCE_URL and PRODUCTS_JSON_URL are both set, but a shop has one source of products. Remove one of the settings.',
  )
  .refine(
    ({ WOOCOMMERCE_URL: site, PRODUCTS_JSON_URL: file, WOOCOMMERCE_KEY: key, WOOCOMMERCE_SECRET: secret }) =>
      site === undefined || file !== undefined || (key !== undefined && secret !== undefined),
    {
      path: ['WOOCOMMERCE_URL'],
      error: 'needs WOOCOMMERCE_KEY and WOOCOMMERCE_SECRET: a REST API key of the shop with read access',
    },
  );
export type MerchantSyncSettings = Settings & SettingsOf<typeof merchantSyncSettings>;
