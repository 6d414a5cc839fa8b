import { TextField } from '../../parts/form';
import { type Category, newKey, type Part } from './feed-draft';
import { Rows } from './rows';

const LIST = 'category_mappings';

export function CategoryFields({ draft: { categories }, change, faultAt }: Part) {
  const patch = (row: Category, changes: Partial<Category>): void =>
    change({ categories: categories.map((each) => (each.key === row.key ? { ...each, ...changes } : each)) });
  const empty = { source_category: '', google_product_category: '', product_type: '' };
  return (
    <fieldset className="field-group">
      <legend>Categories</legend>
      <p className="help">
        Which category of the remote side stands for one of the store. A mapping counts for the category and all below
        it; the deepest one wins.
      </p>
      <Rows
        name={LIST}
        what="category"
        rows={categories}
        faultAt={faultAt(LIST)}
        add={() => change({ categories: [...categories, { key: newKey(), ...empty }] })}
        remove={(row) => change({ categories: categories.filter(({ key }) => key !== row.key) })}
      >
        {(row, at) => (
          <>
            <TextField
              name={`${LIST}.${at}.source_category`}
              label="Category of the store"
              placeholder="Clothing > Shirts"
              help="Its path from the root, with > between the steps, or its name alone where no other category has it."
              required
              value={row.source_category}
              change={(value) => patch(row, { source_category: value })}
            />
            <TextField
              name={`${LIST}.${at}.google_product_category`}
              label="Category of the remote side"
              placeholder="212, or its path"
              required
              value={row.google_product_category}
              change={(value) => patch(row, { google_product_category: value })}
            />
            <TextField
              name={`${LIST}.${at}.product_type`}
              label="Product type (optional)"
              value={row.product_type}
              change={(value) => patch(row, { product_type: value })}
            />
          </>
        )}
      </Rows>
    </fieldset>
  );
}
