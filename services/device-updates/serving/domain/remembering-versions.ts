import { parseVersion, type Version } from '@sluice/kernel';

const REMEMBERED_VERSIONS = 1_000;

/** Few versions come again and again: parses each once, and forgets them all before they get many. */
export function rememberingVersions(): (text: string) => Version | undefined {
  const parsed = new Map<string, Version>();
  return (text) => {
    const known = parsed.get(text);
    if (known !== undefined) return known;
    const version = parseVersion(text);
    if (parsed.size >= REMEMBERED_VERSIONS) parsed.clear();
    if (version !== undefined) parsed.set(text, version);
    return version;
  };
}
