import type { BuildFiles, FileIndex, IndexedFile } from '@sluice/contracts';

type Compared = Pick<BuildFiles, 'files' | 'size' | 'added' | 'removed' | 'changed' | 'changes' | 'biggest'>;
type Change = BuildFiles['changes'][number];

const MAX_CHANGES = 100;
const MAX_BIGGEST = 10;

/** The files of a build, and how they differ from those of the build before it; undefined: there is none. */
export function compareFiles({ files }: FileIndex, before: FileIndex | undefined): Compared {
  const earlier = new Map(before?.files.map((file) => [file.path, file]));
  const changes: Change[] = [];
  for (const { path, size, sha256 } of files) {
    const was = earlier.get(path);
    earlier.delete(path);
    if (was === undefined) changes.push({ path, change: 'added', size, size_before: null });
    else if (was.sha256 !== sha256) changes.push({ path, change: 'changed', size, size_before: was.size });
  }
  for (const { path, size } of earlier.values())
    changes.push({ path, change: 'removed', size: null, size_before: size });
  const sum = (change: Change['change']) => {
    const of = changes.filter((each) => each.change === change);
    return { files: of.length, size: of.reduce((total, each) => total + sizeOf(each), 0) };
  };
  return {
    ...sizesOf(files),
    ...{ added: sum('added'), removed: sum('removed'), changed: sum('changed') },
    changes: changes.sort((one, other) => sizeOf(other) - sizeOf(one)).slice(0, MAX_CHANGES),
    biggest: [...files]
      .sort((one, other) => other.size - one.size)
      .slice(0, MAX_BIGGEST)
      .map(({ path, size }) => ({ path, size })),
  };
}

export function sizesOf(files: readonly IndexedFile[]): Pick<Compared, 'files' | 'size'> {
  return { files: files.length, size: files.reduce((total, { size }) => total + size, 0) };
}

function sizeOf({ size, size_before: before }: Change): number {
  return size ?? before ?? 0;
}
