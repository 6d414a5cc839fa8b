import { CheckField, SelectField, TextField } from '../../parts/form';
import { type Mode, newKey, type TaxRate, type Part } from './feed-draft';
import { GroupFault, Rows } from './rows';

const MODES: readonly (readonly [Mode, string])[] = [
  ['none', 'Say nothing of taxes'],
  ['account', 'As the merchant account says'],
  ['rates', 'These rates'],
];
const LIST = 'tax_settings.rates';

export function TaxFields({ draft: { taxMode, pricesIncludeTax, taxRates: rates }, change, faultAt }: Part) {
  const patch = (row: TaxRate, changes: Partial<TaxRate>): void =>
    change({ taxRates: rates.map((rate) => (rate.key === row.key ? { ...rate, ...changes } : rate)) });
  return (
    <fieldset className="field-group">
      <legend>Taxes</legend>
      <SelectField
        name="tax_settings.mode"
        label="What offers say of taxes"
        help="With rates and prices without tax: for the US and Canada the rates are told; elsewhere the rate of the target country is added to the prices."
        value={taxMode}
        change={(mode) => change({ taxMode: mode })}
        options={MODES}
      />
      <GroupFault name="tax_settings" />
      {taxMode !== 'none' && (
        <CheckField
          name="tax_settings.prices_include_tax"
          label="The store’s prices include tax"
          checked={pricesIncludeTax}
          change={(value) => change({ pricesIncludeTax: value })}
        />
      )}
      {taxMode === 'rates' && (
        <Rows
          name={LIST}
          what="tax rate"
          rows={rates}
          faultAt={faultAt(LIST)}
          add={() => change({ taxRates: [...rates, { key: newKey(), country: '', rate: '' }] })}
          remove={(row) => change({ taxRates: rates.filter(({ key }) => key !== row.key) })}
        >
          {(row, at) => (
            <>
              <TextField
                name={`${LIST}.${at}.country`}
                label="Country"
                placeholder="DE"
                required
                maxLength={2}
                value={row.country}
                change={(value) => patch(row, { country: value.toUpperCase() })}
              />
              <TextField
                name={`${LIST}.${at}.rate`}
                label="Rate in percent"
                placeholder="19"
                type="number"
                step="any"
                min={0}
                max={100}
                required
                value={row.rate}
                change={(rate) => patch(row, { rate })}
              />
            </>
          )}
        </Rows>
      )}
    </fieldset>
  );
}
