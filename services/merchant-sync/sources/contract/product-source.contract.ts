import type { ShopProduct } from '../../products/domain/product';
import { Misfit, type ProductSource, type SourceFault } from '../product-source';

export interface SourceUnderTest {
  readonly source: ProductSource;
  /** What was laid into the shop, in its order: shirts, of which the third is variable with two variations. */
  readonly ids: readonly string[];
  /** From now on the listing breaks off in its middle. */
  readonly breakOff: () => void | Promise<void>;
  /** From now on it announces more products than it has. */
  readonly announceMore: () => void | Promise<void>;
  /** From now on it is no JSON. */
  readonly garble: () => void | Promise<void>;
  readonly close: () => Promise<void>;
}

/** What the port promises, whichever shop is behind it. */
export function itReadsProducts(open: () => Promise<SourceUnderTest>): void {
  let under: SourceUnderTest;
  const never = new AbortController().signal;

  beforeEach(async () => {
    under = await open();
  });
  afterEach(() => under.close());

  async function readAll(signal = never): Promise<ShopProduct[]> {
    const products: ShopProduct[] = [];
    for await (const product of under.source.products(signal)) {
      if (product instanceof Misfit) throw new Error(product.reason);
      products.push(product);
    }
    return products;
  }

  it('gives every product once, in the same order each time', async () => {
    const products = await readAll();
    expect(products.map(({ id }) => id)).toEqual(under.ids);
    expect(await readAll()).toEqual(products);
  });

  it('gives variations within their products', async () => {
    const products = await readAll();
    const variable = products[2]!;
    expect(variable).toMatchObject({ type: 'variable' });
    expect(variable.variations).toHaveLength(2);
    expect(variable.variations[0]!.attributes).toEqual([{ name: 'Color', value: 'Red' }]);
    expect(products.filter(({ type }) => type === 'simple').flatMap(({ variations }) => variations)).toEqual([]);
  });

  it('finds one product as the listing has it, and none where there is none', async () => {
    const products = await readAll();
    for (const index of [0, 2]) {
      expect(await under.source.product(under.ids[index]!, never)).toEqual(products[index]);
    }
    expect(await under.source.product('999999999', never)).toBeUndefined();
    expect(await under.source.product('../products', never)).toBeUndefined();
  });

  it('gives every category that a product names, each time', async () => {
    const readCategories = async () => {
      const paths = new Set<string>();
      for await (const path of under.source.categories(never)) paths.add(path);
      return paths;
    };
    const named = (await readAll()).flatMap(({ categories }) => categories);
    expect(named).toHaveLength(under.ids.length);
    const paths = await readCategories();
    expect(named.filter((path) => !paths.has(path))).toEqual([]);
    expect(await readCategories()).toEqual(paths);
  });

  it('can be left in the middle, and read again', async () => {
    for await (const product of under.source.products(never)) {
      expect(product.id).toBe(under.ids[0]);
      break;
    }
    expect(await readAll()).toHaveLength(under.ids.length);
  });

  it('stops when it is aborted', async () => {
    const stop = new AbortController();
    const reading = async () => {
      const products = under.source.products(stop.signal)[Symbol.asyncIterator]();
      expect(await products.next()).toMatchObject({ done: false });
      stop.abort(new Error('enough'));
      while ((await products.next()).done !== true);
      stop.signal.throwIfAborted();
    };
    await expect(reading()).rejects.toThrow('enough');
  });

  it.each<[string, 'breakOff' | 'announceMore' | 'garble', readonly SourceFault[]]>([
    ['breaks off', 'breakOff', ['unavailable', 'malformed']],
    ['ends before the count that it announced', 'announceMore', ['truncated']],
    ['is no JSON', 'garble', ['malformed']],
  ])('never ends well when the listing %s', async (_, fault, expected) => {
    await under[fault]();
    const error: unknown = await readAll().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'SourceError', fault: expect.stringMatching(expected.join('|')) as string });
    expect((error as Error).message).toMatch(/\.$/);
  });
}
