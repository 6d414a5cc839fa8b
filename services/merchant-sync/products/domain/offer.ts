/** An amount in a currency: a decimal number without needless zeros beyond the currency's exponent, for example `15.00`. */
export interface Price {
  readonly value: string;
  /** ISO 4217. */
  readonly currency: string;
}

/**
 * The listing of a product or of one of its variations. Only the mapper creates it; every adapter of a merchant
 * API pushes it and the generated feed contains it. Members left out are not sent.
 */
export interface Offer {
  /** `{prefix}_{variation_id or product_id}`, at most 50 characters. */
  readonly offerId: string;
  readonly productId: string;
  readonly variationId: string | null;
  readonly targetCountry: string;
  readonly contentLanguage: string;
  readonly channel: 'online' | 'local';
  readonly attributes: OfferAttributes;
}

export interface OfferAttributes {
  /** 1 to 150 characters. */
  readonly title: string;
  /** 1 to 5,000 characters. */
  readonly description: string;
  readonly link: string;
  readonly imageLink: string;
  /** At most 10. */
  readonly additionalImageLinks?: readonly string[];
  readonly price: Price;
  readonly salePrice?: Price;
  /** ISO 8601 interval, `from/to`. */
  readonly salePriceEffectiveDate?: string;
  readonly availability: 'in_stock' | 'out_of_stock' | 'preorder' | 'backorder';
  /** ISO 8601; with preorder and backorder always. */
  readonly availabilityDate?: string;
  readonly condition: 'new' | 'refurbished' | 'used';
  readonly brand?: string;
  readonly gtin?: string;
  readonly mpn?: string;
  readonly itemGroupId?: string;
  readonly googleProductCategory?: string;
  readonly productTypes?: readonly string[];
  readonly color?: string;
  readonly size?: string;
  readonly material?: string;
  readonly pattern?: string;
  readonly gender?: 'male' | 'female' | 'unisex';
  readonly ageGroup?: string;
  readonly shipping?: readonly { readonly country: string; readonly service: string; readonly price: Price }[];
  readonly shippingLabel?: string;
  readonly shippingWeight?: string;
  /** Of remotes and feeds that know it; the percentage as text. */
  readonly tax?: readonly { readonly country: string; readonly rate: string }[];
}

/** Why an item of the shop is not listed; each reason is a sentence for a person. */
export interface Exclusion {
  readonly productId: string;
  readonly variationId: string | null;
  readonly reasons: readonly string[];
}

/** The name of an offer in the catalogue of a merchant account. */
export type OfferRef = Pick<Offer, 'offerId' | 'targetCountry' | 'contentLanguage' | 'channel'>;

/** The status of an offer, as the merchant API reports it. */
export type ListingStatus = 'pending' | 'approved' | 'disapproved' | 'expiring';

export interface ValidationIssue {
  readonly code: string;
  readonly severity: 'not_impacted' | 'demoted' | 'disapproved';
  readonly attribute: string | null;
  readonly description: string;
  readonly detail: string | null;
  readonly documentation: string | null;
  readonly countries: readonly string[];
}
