import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [process.env['CHROMIUM_PATH'] ?? '', ...found].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const executablePath = findChromium();

/** `describe` where there is a Chromium; elsewhere skipped, with the reason in the name, and said: Jest shows no name then. */
export function describeInChromium(name: string, body: () => void): void {
  if (executablePath !== undefined) {
    describe(name, body);
    return;
  }
  const why = `${name} (skipped: no Chromium at CHROMIUM_PATH or on the PATH)`;
  process.stderr.write(`browser: ${why}\n`);
  describe.skip(why, body);
}

/** A headless Chromium that reaches this machine alone. @throws Error where there is none */
export function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('There is no Chromium at CHROMIUM_PATH or on the PATH.');
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
}
