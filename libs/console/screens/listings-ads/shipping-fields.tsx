import { SelectField, TextField } from '../../parts/form';
import { type Mode, newKey, type ShippingRate, type Part } from './feed-draft';
import { GroupFault, Rows } from './rows';

const MODES: readonly (readonly [Mode, string])[] = [
  ['none', 'Say nothing of shipping'],
  ['account', 'As the merchant account says'],
  ['rates', 'These rates'],
];
const LIST = 'shipping_settings.rates';

export function ShippingFields({ draft: { shippingMode, shippingRates: rates }, change, faultAt }: Part) {
  const patch = (row: ShippingRate, changes: Partial<ShippingRate>): void =>
    change({ shippingRates: rates.map((rate) => (rate.key === row.key ? { ...rate, ...changes } : rate)) });
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
          add={() => change({ shippingRates: [...rates, { key: newKey(), country: '', service: '', price: '' }] })}
          remove={(row) => change({ shippingRates: rates.filter(({ key }) => key !== row.key) })}
        >
          {(row, at) => (
            <>
              <TextField
                name={`${LIST}.${at}.country`}
                label="Country"
                placeholder="US"
                required
                maxLength={2}
                value={row.country}
                change={(value) => patch(row, { country: value.toUpperCase() })}
              />
              <TextField
                name={`${LIST}.${at}.service`}
                label="Service"
                placeholder="Ground"
                required
                maxLength={100}
                value={row.service}
                change={(service) => patch(row, { service })}
              />
              <TextField
                name={`${LIST}.${at}.price`}
                label="Price with currency"
                placeholder="4.99 USD"
                required
                value={row.price}
                change={(price) => patch(row, { price })}
              />
            </>
          )}
        </Rows>
      )}
    </fieldset>
  );
}
