import type { FileIndex } from '@sluice/contracts';
import { compareFiles, SLICE } from './build-files';

const file = (path: string, size: number, sha256 = path) => ({ path, size, sha256 });
const index = (...files: ReturnType<typeof file>[]) => ({ files }) as unknown as FileIndex;
const many = (count: number, sizeOf: (n: number) => number, hash = '') =>
  Array.from({ length: count }, (_, n) => file(`${n}.txt`, sizeOf(n), `${n}${hash}`));

it('compares many files as a comparison of all of them at a time would', async () => {
  const before = many(3 * SLICE, (n) => n % 997);
  const now = [...many(2 * SLICE, (n) => n % 991, 'changed'), file('new', 5_000)];
  const { added, removed, changed, changes, biggest, files } = await compareFiles(index(...now), index(...before));
  expect([added, files]).toEqual([{ files: 1, size: 5_000 }, 2 * SLICE + 1]);
  expect([removed.files, changed.files]).toEqual([SLICE, 2 * SLICE]);
  const largest = [
    ...now.map(({ path, size }) => ({ path, size })),
    ...before.slice(2 * SLICE).map(({ path, size }) => ({ path, size })),
  ].sort((one, other) => other.size - one.size);
  expect(changes.map(({ path }) => path)).toEqual(largest.slice(0, 100).map(({ path }) => path));
  expect(biggest).toEqual(
    now
      .map(({ path, size }) => ({ path, size }))
      .sort((one, other) => other.size - one.size)
      .slice(0, 10)
      .sort((one, other) => other.size - one.size),
  );
});

it('lets other work run while it compares many files', async () => {
  let turns = 0;
  let done = false;
  const count = () => {
    if (done) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await compareFiles(index(...many(10 * SLICE, () => 1)), index(...many(10 * SLICE, () => 2, 'before')));
  done = true;
  expect(turns).toBeGreaterThanOrEqual(20);
});
