import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Browser, type Locator } from 'playwright-core';

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

/** Between two looks at a page: a number is as exact as this. */
const LOOK_MS = 20;

/** Waits until the page shows it; answers after how many milliseconds. Locator.waitFor looks less and less often. */
export async function timeUntilVisible(shown: Locator, timeoutMs = 15_000): Promise<number> {
  const from = performance.now();
  while (!(await shown.isVisible()) && performance.now() - from < timeoutMs) await delay(LOOK_MS);
  const taken = performance.now() - from;
  await shown.waitFor({ timeout: 1_000 });
  return taken;
}

export const isChromiumHere = executablePath !== undefined;

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
