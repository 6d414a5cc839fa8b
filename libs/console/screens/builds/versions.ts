const collator = new Intl.Collator('en', { numeric: true });

/** Orders versions; a prerelease is older than its release. */
export function compareVersions(one: string, other: string): number {
  const [core = '', ...before] = one.split('-');
  const [otherCore = '', ...otherBefore] = other.split('-');
  const byCore = collator.compare(core, otherCore);
  if (byCore !== 0 || before.length === 0 || otherBefore.length === 0) {
    return byCore !== 0 ? byCore : otherBefore.length - before.length;
  }
  return collator.compare(before.join('-'), otherBefore.join('-'));
}
