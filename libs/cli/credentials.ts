import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { Failure } from './failure';
import { unreadable } from './read-text';
import { variable, type Terminal } from './terminal';

const loginsSchema = z.object({
  /** The server of the last login. */
  current: z.string().optional(),
  servers: z.record(z.string(), z.object({ token: z.string().min(1) })),
});
type Logins = z.infer<typeof loginsSchema>;

/** Where logins are stored: `sluice` in APPDATA on Windows, else in XDG_CONFIG_HOME or ~/.config. */
export function credentialsPath(terminal: Terminal): string {
  const home = variable(terminal, 'HOME') ?? homedir();
  const given = variable(terminal, process.platform === 'win32' ? 'APPDATA' : 'XDG_CONFIG_HOME');
  const folder = given !== undefined && isAbsolute(given) ? given : join(home, '.config');
  return join(folder, 'sluice', 'credentials.json');
}

/** One spelling for each address. */
function serverKey(server: string): string {
  const { origin, pathname } = new URL(server);
  return origin + pathname.replace(/\/+$/, '');
}

function readLogins(terminal: Terminal): Logins {
  const path = credentialsPath(terminal);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return { servers: {} };
    throw unreadable('file of the logins', error);
  }
  try {
    return loginsSchema.parse(JSON.parse(text));
  } catch {
    // Without the cause, which shows parts of the file.
    throw new Failure({
      code: 'CREDENTIALS_DAMAGED',
      message: `${path} does not hold the logins of this command.`,
      advice: 'Delete the file, and log in again: sluice login',
    });
  }
}

/** Only the user can read the file, and only a complete one replaces it. */
function writeLogins(terminal: Terminal, logins: Logins): void {
  const path = credentialsPath(terminal);
  if (Object.keys(logins.servers).length === 0) {
    rmSync(path, { force: true });
    return;
  }
  const folder = join(path, '..');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const written = `${path}.${process.pid}`;
  writeFileSync(written, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(written, path);
}

/** The token of the login to a server. @throws Failure if the file can't be read */
export function loginOf(server: string, terminal: Terminal): string | undefined {
  return readLogins(terminal).servers[serverKey(server)]?.token;
}

/** The server of the last login that was not ended by a logout. @throws Failure if the file can't be read */
export function loginServer(terminal: Terminal): string | undefined {
  return readLogins(terminal).current;
}

/** Stores the token of a server, and makes the server the default. */
export function saveLogin(server: string, token: string, terminal: Terminal): void {
  const current = serverKey(server);
  writeLogins(terminal, { current, servers: { ...readLogins(terminal).servers, [current]: { token } } });
}

/** Deletes the token of a server. Returns whether there was one. */
export function deleteLogin(server: string, terminal: Terminal): boolean {
  const { current, servers } = readLogins(terminal);
  const { [serverKey(server)]: deleted, ...others } = servers;
  if (deleted === undefined) return false;
  const stays = current !== serverKey(server) && current !== undefined;
  writeLogins(terminal, { ...(stays && { current }), servers: others });
  return true;
}
