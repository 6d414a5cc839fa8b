/**
 * A product as a shop publishes it, whichever interface it was read through. Text is as the shop has
 * it, HTML and entities included; the mapper makes offers of it.
 */
export interface ShopProduct extends ShopItem {
  /** Of the product in its shop; a decimal number in WooCommerce. */
  readonly id: string;
  /** Only `simple` and `variable` products can be listed. */
  readonly type: 'simple' | 'variable' | 'grouped' | 'external' | 'other';
  readonly published: boolean;
  /** Kept out of the shop's catalogue and search. */
  readonly hidden: boolean;
  readonly title: string;
  readonly shortDescription: string;
  /** Paths from the root, for example `Clothing > Shirts`. */
  readonly categories: readonly string[];
  /** Of a variable product, all of them. */
  readonly variations: readonly ShopVariation[];
}

export interface ShopVariation extends ShopItem {
  /** Unique among all products and variations of the shop. */
  readonly id: string;
  readonly published: boolean;
}

/** What a product has, and a variation in place of its product's where it has its own. */
export interface ShopItem {
  readonly sku: string | null;
  readonly description: string;
  /** Absolute address of its page. */
  readonly link: string;
  /** Absolute addresses, the main image first. */
  readonly images: readonly string[];
  /** A decimal number as text, for example `19.90`; null: it has none. */
  readonly regularPrice: string | null;
  readonly salePrice: string | null;
  /** ISO 8601 with offset; null: no limit on that side. */
  readonly saleFrom: string | null;
  readonly saleTo: string | null;
  /** ISO 4217; null: the shop's (`STORE_CURRENCY`). */
  readonly currency: string | null;
  readonly availability: 'in_stock' | 'out_of_stock' | 'backorder' | 'preorder';
  /** ISO 8601: from when on, with backorder and preorder. */
  readonly availableOn: string | null;
  readonly brand: string | null;
  readonly gtin: string | null;
  readonly mpn: string | null;
  readonly condition: 'new' | 'refurbished' | 'used' | null;
  /** By the shop's names for them, for example `Color` and `Size`. */
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
  readonly shippingClass: string | null;
  /** With its unit, for example `1.2 kg`. */
  readonly weight: string | null;
}
