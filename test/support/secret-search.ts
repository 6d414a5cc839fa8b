import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** A secret by the name that a finding gives it. */
export type Secrets = Readonly<Record<string, string>>;

const WINDOW = 24;

/**
 * What a secret looks like in the clear, in hex and in Base64, whatever is before it; as pieces
 * from its beginning, middle and end, so that one torn apart by a page of a file is found as well.
 */
function tracesOf(secret: string): Buffer[] {
  const body = secret.replace(/^svc_[a-z]+_/, '');
  const random = /^[0-9a-f]{40,}/.exec(body)?.[0] ?? '';
  const texts = [Buffer.from(body), Buffer.from(random, 'hex')].flatMap((bytes) =>
    bytes.length === 0 ? [] : [bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...base64Of(bytes)],
  );
  const pieces = [body, ...texts].flatMap((text) => {
    const last = Math.max(0, text.length - WINDOW);
    return [0, Math.floor(last / 2), last].map((start) => text.slice(start, start + WINDOW));
  });
  return [...pieces.map((piece) => Buffer.from(piece)), ...(random === '' ? [] : [Buffer.from(random, 'hex')])];
}

/** The part that depends on these bytes alone, after 0, 1 and 2 others. */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const own = text.slice(before === 0 ? 0 : before + 1, -1);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Looks for the secrets; answers `NAME in PLACE` for each place that holds one. */
export function createSecretSearch(secrets: Secrets) {
  const traces = Object.entries(secrets).map(([name, secret]) => ({ name, traces: tracesOf(secret) }));

  const inBytes = (place: string, bytes: Buffer): string[] =>
    traces
      .filter((known) => known.traces.some((trace) => bytes.includes(trace)))
      .map(({ name }) => `${name} in ${place}`);

  const inText = (place: string, text: string): string[] => inBytes(place, Buffer.from(text));

  return {
    inBytes,
    inText,

    /** Each text by itself only where there is something to find: thousands of them take their time. */
    inTexts: (place: string, texts: readonly string[]): string[] =>
      inText(place, texts.join('\n')).length === 0 ? [] : texts.flatMap((text) => inText(`${place}: ${text}`, text)),

    /** Every file below, as raw bytes. */
    async inFolder(folder: string): Promise<string[]> {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const found: string[] = [];
      for (const entry of entries.filter((candidate) => candidate.isFile())) {
        const path = join(entry.parentPath, entry.name);
        found.push(...inBytes(relative(folder, path), await readFile(path)));
      }
      return found.sort();
    },
  };
}
