import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The release that this code belongs to. */
export const VERSION = nearestVersion(__dirname);

function nearestVersion(folder: string): string {
  const path = join(folder, 'package.json');
  if (existsSync(path)) return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
  const above = dirname(folder);
  return above === folder ? 'unknown' : nearestVersion(above);
}
