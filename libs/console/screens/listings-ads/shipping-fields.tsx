import { SelectField, TextField } from '../../parts/form';
import type { Mode, Part } from './feed-draft';
import { CountryField, GroupFault, Rows } from './rows';

const MODES: readonly (readonly [Mode, string])[] = [
  ['none', 'Say nothing of shipping'],
  ['account', 'As the merchant account says'],
  ['rates', 'These rates'],
];
const LIST = 'shipping_settings.rates';

export function ShippingFields({ draft: { shippingMode, shippingRates: rates }, change, faultAt }: Part) {
  return (
    <fieldset className="field-group">
      <legend>Shipping</legend>
      <SelectField
        name="shipping_settings.mode"
        label="What offers say of shipping"
        value={shippingMode}
        change={(mode) => change({ shippingMode: mode })}
        options={MODES}
      />
      <GroupFault name="shipping_settings" />
      {shippingMode === 'rates' && (
        <Rows
          name={LIST}
          what="shipping rate"
          rows={rates}
          faultAt={faultAt(LIST)}
          empty={{ country: '', service: '', price: '' }}
          change={(shippingRates) => change({ shippingRates })}
        >
          {(field) => (
            <>
              <CountryField {...field('country')} placeholder="US" />
              <TextField {...field('service')} label="Service" placeholder="Ground" required maxLength={100} />
              <TextField {...field('price')} label="Price with currency" placeholder="4.99 USD" required />
            </>
          )}
        </Rows>
      )}
    </fieldset>
  );
}
