import { CheckField, SelectField, TextField } from '../../parts/form';
import type { Mode, Part } from './feed-draft';
import { CountryField, GroupFault, Rows } from './rows';

const MODES: readonly (readonly [Mode, string])[] = [
  ['none', 'Say nothing of taxes'],
  ['account', 'As the merchant account says'],
  ['rates', 'These rates'],
];
const LIST = 'tax_settings.rates';

export function TaxFields({ draft: { taxMode, pricesIncludeTax, taxRates: rates }, change, faultAt }: Part) {
  return (
    <fieldset className="field-group">
      <legend>Taxes</legend>
      <SelectField
        name="tax_settings.mode"
        label="What offers say of taxes"
        help="With rates and prices without tax: for the US and Canada the rates are sent; elsewhere the rate of the target country is added to the prices."
        value={taxMode}
        change={(mode) => change({ taxMode: mode })}
        options={MODES}
      />
      <GroupFault name="tax_settings" />
      {taxMode !== 'none' && (
        <CheckField
          name="tax_settings.prices_include_tax"
          label="The store’s prices include tax"
          value={pricesIncludeTax}
          change={(value) => change({ pricesIncludeTax: value })}
        />
      )}
      {taxMode === 'rates' && (
        <Rows
          name={LIST}
          what="tax rate"
          rows={rates}
          faultAt={faultAt(LIST)}
          empty={{ country: '', rate: '' }}
          change={(taxRates) => change({ taxRates })}
        >
          {(field) => (
            <>
              <CountryField {...field('country')} placeholder="DE" />
              <TextField
                {...field('rate')}
                label="Rate in percent"
                placeholder="19"
                type="number"
                step="any"
                min={0}
                max={100}
                required
              />
            </>
          )}
        </Rows>
      )}
    </fieldset>
  );
}
