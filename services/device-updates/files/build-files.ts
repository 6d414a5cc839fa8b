import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BuildFiles, FileIndex, IndexedFile } from '@sluice/contracts';

type Compared = Pick<BuildFiles, 'files' | 'size' | 'added' | 'removed' | 'changed' | 'changes' | 'biggest'>;
type Change = BuildFiles['changes'][number];

const MAX_CHANGES = 100;
const MAX_BIGGEST = 10;
/** Update checks run after so many files, which take less than a millisecond. */
export const SLICE = 1_000;

/** The files of a build, and how they differ from those of the build before it; undefined: there is none. */
export async function compareFiles({ files }: FileIndex, before: FileIndex | undefined): Promise<Compared> {
  const earlier = new Map<string, IndexedFile>();
  await inSlices(before?.files ?? [], (file) => earlier.set(file.path, file));
  const sums = { added: { files: 0, size: 0 }, removed: { files: 0, size: 0 }, changed: { files: 0, size: 0 } };
  const changes: Change[] = [];
  const note = (change: Change): void => {
    const sum = sums[change.change];
    sum.files += 1;
    sum.size += sizeOf(change);
    keepLargest(changes, change, { most: MAX_CHANGES, sizeOf });
  };
  const biggest: { readonly path: string; readonly size: number }[] = [];
  await inSlices(files, ({ path, size, sha256 }) => {
    const was = earlier.get(path);
    earlier.delete(path);
    if (was === undefined) note({ path, change: 'added', size, size_before: null });
    else if (was.sha256 !== sha256) note({ path, change: 'changed', size, size_before: was.size });
    keepLargest(biggest, { path, size }, { most: MAX_BIGGEST, sizeOf: (file) => file.size });
  });
  await inSlices(earlier.values(), ({ path, size }) =>
    note({ path, change: 'removed', size: null, size_before: size }),
  );
  return { ...sizesOf(files), ...sums, changes, biggest };
}

export function sizesOf(files: readonly IndexedFile[]): Pick<Compared, 'files' | 'size'> {
  return { files: files.length, size: files.reduce((total, { size }) => total + size, 0) };
}

function sizeOf({ size, size_before: before }: Change): number {
  return size ?? before ?? 0;
}

async function inSlices<Item>(items: Iterable<Item>, visit: (item: Item) => unknown): Promise<void> {
  let visited = 0;
  for (const item of items) {
    visit(item);
    visited += 1;
    if (visited % SLICE === 0) await nextTurn();
  }
}

/** Adds an item to the largest ones, the largest first; of the same size, the first one first. */
function keepLargest<Item>(
  largest: Item[],
  item: Item,
  { most, sizeOf: of }: { readonly most: number; readonly sizeOf: (item: Item) => number },
): void {
  const size = of(item);
  const at = largest.findLastIndex((each) => of(each) >= size) + 1;
  if (at >= most) return;
  largest.splice(at, 0, item);
  if (largest.length > most) largest.pop();
}
