import fc from 'fast-check';
import { type CategoryOptions, categorySteps, mappingOf, resolveCategories } from './categories';

const MAPPED = { google_product_category: '1' };
const mappingsOf = (...names: string[]) => names.map((source_category) => ({ ...MAPPED, source_category }));

async function* each<Value>(values: readonly Value[], begun: () => void = () => undefined): AsyncGenerator<Value> {
  begun();
  await Promise.resolve();
  yield* values;
}

/** `source_category` of the mapping of each path, and what was found of the mappings. */
async function resolve(names: readonly string[], paths: readonly string[], options: Partial<CategoryOptions> = {}) {
  const resolved = await resolveCategories(mappingsOf(...names), each(paths), {
    ...{ toText: (html: string) => html.replace('&amp;', '&'), findUnknown: true },
    ...options,
  });
  const { unknown, ambiguous } = resolved;
  const mapped = paths.map((path) => mappingOf([categorySteps(path)], resolved)?.source_category);
  return { mapped, unknown, ambiguous };
}

describe('a category mapping', () => {
  it('means the only category of its name, and all below it', async () => {
    expect(await resolve(['mugs'], ['Goods > Mugs', 'Goods > Mugs > Large', 'Goods'])).toEqual({
      mapped: ['mugs', 'mugs', undefined],
      unknown: [],
      ambiguous: [],
    });
    expect(await resolve(['Mugs'], ['Goods > Mugs > Large'])).toMatchObject({ mapped: ['Mugs'] });
    expect(await resolve(['Mugs & cups'], ['Goods > Mugs &amp; cups'])).toMatchObject({ unknown: [], ambiguous: [] });
  });

  it('means the category at the root, whatever others have its name', async () => {
    expect(await resolve(['Mugs'], ['Goods > Mugs', 'Mugs', 'Sale > Mugs'])).toEqual({
      mapped: [undefined, 'Mugs', undefined],
      unknown: [],
      ambiguous: [],
    });
  });

  it('maps nothing and is ambiguous when several categories have its name', async () => {
    expect(await resolve(['Mugs'], ['Goods > Mugs', 'Sale > Mugs'])).toEqual({
      mapped: [undefined, undefined],
      unknown: [],
      ambiguous: ['Mugs'],
    });
    expect(await resolve(['Mugs', 'Sale > Mugs'], ['Goods > Mugs', 'Sale > Mugs'])).toEqual({
      mapped: [undefined, 'Sale > Mugs'],
      unknown: [],
      ambiguous: ['Mugs'],
    });
    expect(await resolve(['Mugs'], ['Goods > Mugs', 'goods>mugs'])).toMatchObject({ ambiguous: [] });
  });

  it('with a path has priority over the name of the same category', async () => {
    expect(await resolve(['Mugs', 'Goods > Mugs'], ['Goods > Mugs'])).toMatchObject({ mapped: ['Goods > Mugs'] });
    expect(await resolve(['Goods > Mugs', 'Mugs'], ['Goods > Mugs'])).toMatchObject({ mapped: ['Goods > Mugs'] });
  });

  it('is unknown when the shop has no such category', async () => {
    expect(await resolve(['Cups', 'Goods > Cups', 'Kitchen > Mugs', 'Goods'], ['Goods > Mugs'])).toEqual({
      mapped: ['Goods'],
      unknown: ['Cups', 'Goods > Cups', 'Kitchen > Mugs'],
      ambiguous: [],
    });
  });

  it('without mappings finds none that is unknown, with paths alone only where it has to', async () => {
    expect(await resolve([], ['A'])).toEqual({ mapped: [undefined], unknown: [], ambiguous: [] });
    expect(await resolve(['A > B'], ['A > B > C'], { findUnknown: false })).toEqual({
      mapped: ['A > B'],
      unknown: undefined,
      ambiguous: [],
    });
  });

  it('of the first category counts where several are as deep', async () => {
    const resolved = await resolveCategories(mappingsOf('A', 'B'), each([]), {
      toText: (html) => html,
      findUnknown: false,
    });
    expect(mappingOf([['A'], ['B']], resolved)?.source_category).toBe('A');
  });

  it.each([
    ['without mappings', [], true, false],
    ['with paths alone', ['A > B'], false, false],
    ['with paths alone, to find those that are unknown', ['A > B'], true, true],
    ['with a name', ['B'], false, true],
  ])('reads the categories of the shop only where it has to: %s', async (_, names, findUnknown, expected) => {
    let isRead = false;
    const paths = each(['A > B'], () => (isRead = true));
    await resolveCategories(mappingsOf(...names), paths, { toText: (html) => html, findUnknown });
    expect(isRead).toBe(expected);
  });

  it('maps the same whatever the order of the categories, and a name exactly when one category bears it', async () => {
    const step = fc.constantFrom('a', 'b', 'c');
    const path = fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => steps.join(' > '));
    const shuffled = fc
      .array(path, { minLength: 1, maxLength: 8 })
      .chain((paths) =>
        fc.tuple(fc.constant(paths), fc.shuffledSubarray(paths, { minLength: paths.length, maxLength: paths.length })),
      );
    await fc.assert(
      fc.asyncProperty(shuffled, fc.uniqueArray(path, { maxLength: 4 }), async ([paths, others], names) => {
        const one = await resolve(names, paths);
        const other = await resolve(names, others);
        expect([other.unknown, other.ambiguous]).toEqual([one.unknown, one.ambiguous]);
        expect(new Map(others.map((each, at) => [each, other.mapped[at]]))).toEqual(
          new Map(paths.map((each, at) => [each, one.mapped[at]])),
        );
        const all = new Set(
          paths.flatMap((each) => each.split(' > ').map((_, at, steps) => steps.slice(0, at + 1).join(' > '))),
        );
        for (const name of names) {
          const bearers = name.includes('>') ? [] : [...all].filter((each) => each.split(' > ').at(-1) === name);
          expect(one.unknown?.includes(name)).toBe(!all.has(name) && bearers.length === 0);
          expect(one.ambiguous.includes(name)).toBe(!all.has(name) && bearers.length > 1);
        }
      }),
    );
  });
});
