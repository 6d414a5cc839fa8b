import type { FeedItem } from '@sluice/contracts';
import { formatPrice } from '../products/domain/money';
import type { Offer } from '../products/domain/offer';

/** The offer with the feed's names and forms; members that it has not are left out. */
export function feedItem({ offerId, productId, variationId, attributes }: Offer): FeedItem {
  const { price, salePrice, shipping } = attributes;
  const item: { [Name in keyof FeedItem]: FeedItem[Name] | undefined } = {
    product_id: productId,
    variation_id: variationId,
    id: offerId,
    title: attributes.title,
    description: attributes.description,
    link: attributes.link,
    image_link: attributes.imageLink,
    additional_image_link: attributes.additionalImageLinks?.slice(),
    availability: attributes.availability,
    availability_date: attributes.availabilityDate,
    price: formatPrice(price),
    sale_price: salePrice && formatPrice(salePrice),
    sale_price_effective_date: attributes.salePriceEffectiveDate,
    item_group_id: attributes.itemGroupId,
    condition: attributes.condition,
    brand: attributes.brand,
    gtin: attributes.gtin,
    mpn: attributes.mpn,
    google_product_category: attributes.googleProductCategory,
    product_type: attributes.productTypes?.slice(),
    color: attributes.color,
    size: attributes.size,
    material: attributes.material,
    pattern: attributes.pattern,
    gender: attributes.gender,
    age_group: attributes.ageGroup,
    shipping: shipping?.map(({ country, service, price: rate }) => ({ country, service, price: formatPrice(rate) })),
    shipping_label: attributes.shippingLabel,
    shipping_weight: attributes.shippingWeight,
    tax: attributes.tax?.map(({ country, rate }) => ({ country, rate })),
  };
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as FeedItem;
}
