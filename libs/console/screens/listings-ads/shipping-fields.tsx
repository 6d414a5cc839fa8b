import { SelectField, TextField } from '../../parts/form';
import * as texts from '../../texts/listings/settings';
import type { Mode, Part } from './feed-draft';
import { CountryField, GroupFault, Rows } from './rows';

const MODES: readonly (readonly [Mode, string])[] = [
  ['account', texts.asAccount],
  ['rates', texts.theseRates],
];
const LIST = 'shipping_settings.rates';

export function ShippingFields({ draft: { shippingMode, shippingRates: rates }, change, faultAt }: Part) {
  return (
    <fieldset className="field-group">
      <legend>{texts.shipping}</legend>
      <SelectField
        name="shipping_settings.mode"
        label={texts.shippingMode}
        value={shippingMode}
        change={(mode) => change({ shippingMode: mode })}
        options={MODES}
      />
      <GroupFault name="shipping_settings" />
      {shippingMode === 'rates' && (
        <Rows
          name={LIST}
          what={texts.shippingRate}
          rows={rates}
          faultAt={faultAt(LIST)}
          empty={{ country: '', service: '', price: '' }}
          change={(shippingRates) => change({ shippingRates })}
        >
          {(field) => (
            <>
              <CountryField {...field('country')} placeholder={texts.shippingCountryHint} />
              <TextField
                {...field('service')}
                label={texts.service}
                placeholder={texts.serviceHint}
                required
                maxLength={100}
              />
              <TextField {...field('price')} label={texts.price} placeholder={texts.priceHint} required />
            </>
          )}
        </Rows>
      )}
    </fieldset>
  );
}
