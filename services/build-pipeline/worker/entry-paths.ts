/**
 * The names of a bundle's entries, each safe to unpack and none in the way of another, also on a
 * file system that ignores case or composes Unicode.
 */
export class EntryPaths {
  private readonly leaves = new Set<string>();
  private readonly folders = new Set<string>();

  /** Answers what is wrong with the name, after "The entry … ". */
  add(name: string, isFolder: boolean): string | undefined {
    const fault = faultOf(name);
    if (fault !== undefined) return fault;
    const parts = name
      .normalize('NFC')
      .toLowerCase()
      .split('/')
      .filter((part) => part !== '' && part !== '.');
    const path = parts.join('/');
    if (path === '') return isFolder ? undefined : 'has a name without a file in it';
    if (!isFolder) {
      if (this.leaves.has(path)) return 'has the name of an earlier entry, or one that differs only by case';
      if (this.folders.has(path)) return 'is a file or link where other entries need a folder';
      this.leaves.add(path);
      parts.pop();
    }
    for (let folder = parts; folder.length > 0; folder = folder.slice(0, -1)) {
      const parent = folder.join('/');
      if (this.folders.has(parent)) break;
      if (this.leaves.has(parent)) return 'lies in a folder where an earlier entry is a file or link';
      this.folders.add(parent);
    }
    return undefined;
  }
}

function faultOf(name: string): string | undefined {
  if (name === '') return 'has an empty name';
  if (name.includes('\0')) return 'has a zero byte in its name';
  if (name.includes('\\')) return 'has a backslash in its name; zip paths are written with "/"';
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'has an absolute path';
  if (name.split('/').includes('..')) return 'leaves the folder that the bundle is unpacked into';
  return undefined;
}
