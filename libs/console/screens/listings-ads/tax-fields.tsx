import { CheckField, SelectField, TextField } from '../../parts/form';
import * as texts from '../../texts/listings/settings';
import type { Mode, Part } from './feed-draft';
import { CountryField, GroupFault, Rows } from './rows';

const MODES: readonly (readonly [Mode, string])[] = [
  ['account', texts.asAccount],
  ['rates', texts.theseRates],
];
const LIST = 'tax_settings.rates';

export function TaxFields({ draft: { taxMode, pricesIncludeTax, taxRates: rates }, change, faultAt }: Part) {
  const usesRates = taxMode === 'rates';
  return (
    <fieldset className="field-group">
      <legend>{texts.taxes}</legend>
      <SelectField
        name="tax_settings.mode"
        label={texts.taxMode}
        help={usesRates ? texts.taxModeHelp : undefined}
        value={taxMode}
        change={(mode) => change({ taxMode: mode })}
        options={MODES}
      />
      <GroupFault name="tax_settings" />
      {usesRates && (
        <CheckField
          name="tax_settings.prices_include_tax"
          label={texts.pricesIncludeTax}
          value={pricesIncludeTax}
          change={(value) => change({ pricesIncludeTax: value })}
        />
      )}
      {usesRates && (
        <Rows
          name={LIST}
          what={texts.taxRate}
          rows={rates}
          faultAt={faultAt(LIST)}
          empty={{ country: '', rate: '' }}
          change={(taxRates) => change({ taxRates })}
        >
          {(field) => (
            <>
              <CountryField {...field('country')} placeholder={texts.taxCountryHint} />
              <TextField
                {...field('rate')}
                label={texts.ratePercent}
                placeholder={texts.ratePercentHint}
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
