import { chmod, mkdir, stat } from 'node:fs/promises';
import type { Settings } from '@sluice/config';

const OTHERS = 0o077;
/** Set on a folder that is shared intentionally, such as a volume that Kubernetes gives to a group. */
const SHARED = 0o3000;

/**
 * Creates DATA_DIR, or restricts it, with mode 0700, and the files of the embedded databases with 0600.
 * @returns a sentence for each path that other users of the machine can still open: one of another owner, or a folder
 *   that is shared intentionally
 * @throws when DATA_DIR can't be created
 */
export async function protectDataFolder(
  settings: Pick<Settings, 'dataDir' | 'eventStoreUrl' | 'stateStoreUrl' | 'readStoreUrl'>,
): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const { dataDir, eventStoreUrl, stateStoreUrl, readStoreUrl } = settings;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const files = [eventStoreUrl, stateStoreUrl, readStoreUrl]
    .filter((url) => url.startsWith('sqlite:'))
    .map((url) => url.slice('sqlite:'.length))
    .flatMap((path) => [path, `${path}-wal`, `${path}-shm`]);
  const open: string[] = [];
  for (const path of [dataDir, ...files]) {
    const left = await narrow(path);
    if (left !== undefined) open.push(`${path} is open to other users (${left})`);
  }
  return open;
}

/** Permission bits of a folder as octal digits, such as 0700; undefined when it does not exist. */
export async function modeOf(path: string): Promise<string | undefined> {
  const facts = await stat(path).catch(() => undefined);
  return facts && octal(facts.mode);
}

/** Returns the mode when other users still have access. */
async function narrow(path: string): Promise<string | undefined> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined || (facts.mode & OTHERS) === 0) return undefined;
  const ours = facts.uid === process.getuid?.() && (facts.mode & SHARED) === 0;
  const narrowed =
    ours &&
    (await chmod(path, facts.mode & 0o700).then(
      () => true,
      () => false,
    ));
  return narrowed ? undefined : octal(facts.mode);
}

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0');
