import { TextField } from '../../parts/form';
import type { Part } from './feed-draft';
import { Rows } from './rows';

const LIST = 'category_mappings';

export function CategoryFields({ draft: { categories }, change, faultAt }: Part) {
  return (
    <fieldset className="field-group">
      <legend>Categories</legend>
      <p className="help">
        Maps a category of the shop to a Google category. A mapping applies to the category and all below it; the
        deepest mapping wins.
      </p>
      <Rows
        name={LIST}
        what="category"
        rows={categories}
        faultAt={faultAt(LIST)}
        empty={{ source_category: '', google_product_category: '', product_type: '' }}
        change={(next) => change({ categories: next })}
      >
        {(field) => (
          <>
            <TextField
              {...field('source_category')}
              label="Category of the store"
              placeholder="Clothing > Shirts"
              help="Its path from the root, with > between the steps, or its name alone where no other category has it."
              required
            />
            <TextField
              {...field('google_product_category')}
              label="Google category"
              placeholder="212, or its path"
              required
            />
            <TextField {...field('product_type')} label="Product type (optional)" />
          </>
        )}
      </Rows>
    </fieldset>
  );
}
