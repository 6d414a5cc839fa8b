import { TextField } from '../../parts/form';
import * as texts from '../../texts/listings/settings';
import type { Part } from './feed-draft';
import { Rows } from './rows';

const LIST = 'category_mappings';

export function CategoryFields({ draft: { categories }, change, faultAt }: Part) {
  return (
    <fieldset className="field-group">
      <legend>{texts.categories}</legend>
      <p className="help">{texts.categoriesHelp}</p>
      <Rows
        name={LIST}
        what={texts.category}
        rows={categories}
        faultAt={faultAt(LIST)}
        empty={{ source_category: '', google_product_category: '', product_type: '' }}
        change={(next) => change({ categories: next })}
      >
        {(field) => (
          <>
            <TextField
              {...field('source_category')}
              label={texts.shopCategory}
              placeholder={texts.shopCategoryHint}
              help={texts.shopCategoryHelp}
              required
            />
            <TextField
              {...field('google_product_category')}
              label={texts.googleCategory}
              placeholder={texts.googleCategoryHint}
              required
            />
            <TextField {...field('product_type')} label={texts.productType} />
          </>
        )}
      </Rows>
    </fieldset>
  );
}
