/** The texts of the feed settings and the sync settings. */

export const loading = 'the settings';

export const feedSettings = 'Feed settings';
export const saveFeed = 'Save feed settings';
export const feedSaved = 'Feed settings saved. They apply from the next sync.';
export const country = 'Target country';
export const countryHelp = (name: string): string =>
  `${sentence(name)}Country where Google shows the offers, as two letters such as US.`;
export const language = 'Language';
export const languageHelp = (name: string): string =>
  `${sentence(name)}Language of titles and descriptions, as two letters such as en.`;
export const channel = 'Sales channel';
export const online = 'Online: sold in the web shop';
export const local = 'Local: sold in a physical shop';
export const variations = 'Send each variation as a separate offer';
export const variationsHelp =
  'If not selected, a product with variations is one offer, with the price of its cheapest variation in stock, if there is one.';
export const outOfStock = 'Send products that are out of stock';
export const outOfStockHelp = 'If not selected, they are excluded, and their offers are deleted.';

export const shipping = 'Shipping';
export const shippingMode = 'Shipping costs in offers';
export const taxes = 'Taxes';
export const taxMode = 'Tax in offers';
export const taxModeHelp =
  'Applies if prices in the shop exclude tax. For the US and Canada, the rates are sent to Google. For other target countries, the rate is added to the prices.';
export const asAccount = 'Use the settings of the merchant account';
export const theseRates = 'Use these rates';
export const pricesIncludeTax = 'Prices in the shop include tax';
export const shippingRate = 'shipping rate';
export const taxRate = 'tax rate';
export const rateCountry = 'Country';
export const shippingCountryHint = 'US';
export const taxCountryHint = 'DE';
export const service = 'Service';
export const serviceHint = 'Ground';
export const price = 'Price with currency';
export const priceHint = '4.99 USD';
export const ratePercent = 'Rate (%)';
export const ratePercentHint = '19';

export const categories = 'Category mappings';
export const categoriesHelp =
  'Each mapping assigns a Google category to a category of the shop and all categories below it. The most specific mapping wins.';
export const category = 'category mapping';
export const shopCategory = 'Shop category';
export const shopCategoryHint = 'Clothing > Shirts';
export const shopCategoryHelp =
  'The path from the root, with > between categories. The name alone is enough if no other category has it.';
export const googleCategory = 'Google category';
export const googleCategoryHint = '212, or its path';
export const productType = 'Product type (optional)';

export const entry = (what: string, number: number): string => `${what} ${number}`;
export const add = (what: string): string => `Add ${what}`;
export const remove = 'Remove';
export const removeEntry = (what: string, number: number): string => `Remove ${what} ${number}`;

export const syncSettings = 'Sync settings';
export const saveSync = 'Save sync settings';
export const syncSaved = 'Sync settings saved.';
export const interval = 'Sync interval (minutes)';
export const intervalHelp = '60 (one hour) to 40,320 (four weeks).';
export const batchSize = 'Offers per request';
export const batchSizeHelp = '1 to 100.';
export const concurrency = 'Simultaneous requests';
export const concurrencyHelp = '1 to 16. Lower it if you reach Google’s quota per minute.';
export const retries = 'Retries';
export const retriesHelp =
  '0 to 10. How many times a failed request is repeated, and in how many further syncs a rejected offer is sent again.';
export const refresh = 'Send offers again after (days)';
export const refreshHelp =
  '1 to 29. Google removes an offer 30 days after it was last sent, so unchanged offers are sent again after this time.';
export const retention = 'Keep sync runs for (days)';
export const retentionHelp = '1 to 365. Older runs are deleted daily.';
export const deletionLimit = 'Deletion limit (%)';
export const deletionLimitHelp =
  '0 to 100, in percent of all offers. If a sync would delete more than this, it deletes none and reports a problem. This protects your offers if the shop returns incomplete data.';
export const deleteMissing = 'Delete offers of products that are no longer in the shop';
export const deleteMissingHelp = 'If not selected, they stay in the merchant account until they expire.';

function sentence(name: string): string {
  return name === '' ? '' : `${name}. `;
}
