import { useMemo } from 'react';
import { ApiError } from '../../../api/client';
import { size } from '../../../parts/values';

/** In a person's words, what the server says of a field to scripts. What isn't here reads well as it is. */
const FAULTS: readonly (readonly [field: string, said: RegExp, words: string])[] = [
  ['file', /required/, 'Choose the bundle: a zip of your app’s web files.'],
  ['version', /required|major\.minor/, 'It must be three numbers, such as 1.4.0.'],
  ['min_native_version', /must be a version/, 'It must be a version, such as 2.1.'],
  ['signature', /Base64/, 'It must be a signature in Base64, as openssl writes it.'],
  ['bundle_id', /reverse-DNS/, 'It must look like com.example.shop.'],
  ['bundle_id', /belongs to another/, 'Another app has this bundle id. Choose another one, or leave it out.'],
];

const NO_CAUSES: Readonly<Record<string, string>> = {};

/** The words of refusals that name no field of their own, by their codes. */
const WORDS: Readonly<Record<string, (refused: ApiError) => string>> = {
  VERSION_NOT_NEWER: ({ details, message }) =>
    typeof details['active_head'] === 'string'
      ? `It must be newer than ${details['active_head']}, the newest active build of the channel.`
      : message,
  BUILD_CHANGED: () => 'It was changed elsewhere in the meantime. Nothing was done.',
  BUILD_NOT_READY: () => 'It never passed its check, so devices can’t be given it.',
  BUILD_NOT_FOUND: () => 'It was deleted in the meantime.',
  PAYLOAD_TOO_LARGE: ({ message }) => message.replace(/\d+ bytes/, (bytes) => size(Number.parseInt(bytes, 10))),
  STORAGE_LIMIT_REACHED: ({ details, message }) =>
    typeof details['used_bytes'] === 'number' && typeof details['limit_bytes'] === 'number'
      ? `It does not fit: your bundles take ${size(details['used_bytes'])} of ${size(details['limit_bytes'])}. Delete builds, or keep fewer of them in the settings of an app.`
      : message,
};

/** A refusal as a sentence for a person. */
export function refusalWords(error: unknown): string {
  return error instanceof ApiError ? (WORDS[error.code]?.(error) ?? error.message) : (error as Error).message;
}

function inWords(field: string, said: string): string {
  const words = FAULTS.find(([of, pattern]) => of === field && pattern.test(said))?.[2];
  return words ?? said.replaceAll(field, field.replaceAll('_', ' '));
}

/**
 * A refusal as a form shows it: in a person's words, and as a fault of the field that caused it,
 * `causes[code]`. Any other error as it is.
 */
export function useRefusal(error: Error | null, causes = NO_CAUSES): Error | null {
  // The same object for the same refusal, as a form wants it.
  return useMemo(() => {
    if (!(error instanceof ApiError)) return error;
    const message = refusalWords(error);
    const cause = causes[error.code];
    const faults = cause === undefined ? Object.entries(error.fields) : [[cause, [message]] as const];
    const fields = Object.fromEntries(faults.map(([field, said]) => [field, said.map((each) => inWords(field, each))]));
    return error.saying({ message, fields });
  }, [error, causes]);
}
