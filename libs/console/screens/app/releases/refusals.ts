import { useMemo } from 'react';
import { ApiError } from '../../../api/client';
import { size } from '../../../parts/values';
import * as texts from '../../../texts/refusals';

/** Replaces messages of the API about a field that are written for scripts. */
const FAULTS: readonly (readonly [field: string, said: RegExp, words: string])[] = [
  ['file', /required/, texts.chooseBundle],
  ['version', /required|major\.minor/, texts.threeNumbers],
  ['min_native_version', /must be a version/, texts.nativeVersion],
  ['signature', /Base64/, texts.base64],
  ['bundle_id', /reverse-DNS/, texts.bundleIdForm],
  ['bundle_id', /belongs to another/, texts.bundleIdInUse],
];

const NO_CAUSES: Readonly<Record<string, string>> = {};

/** The texts of errors without a field, by their codes. */
const WORDS: Readonly<Record<string, (refused: ApiError) => string>> = {
  VERSION_NOT_NEWER: ({ details, message }) =>
    typeof details['active_head'] === 'string' ? texts.notNewer(details['active_head']) : message,
  BUILD_CHANGED: () => texts.buildChanged,
  BUILD_NOT_READY: () => texts.buildNotReady,
  BUILD_NOT_FOUND: () => texts.buildNotFound,
  PAYLOAD_TOO_LARGE: ({ message }) => message.replace(/\d+ bytes/, (bytes) => size(Number.parseInt(bytes, 10))),
  STORAGE_LIMIT_REACHED: ({ details, message }) =>
    typeof details['used_bytes'] === 'number' && typeof details['limit_bytes'] === 'number'
      ? texts.storageFull(size(details['used_bytes']), size(details['limit_bytes']))
      : message,
};

/** An error as a sentence for a person. */
export function refusalWords(error: unknown): string {
  return error instanceof ApiError ? (WORDS[error.code]?.(error) ?? error.message) : (error as Error).message;
}

function inWords(field: string, said: string): string {
  const words = FAULTS.find(([of, pattern]) => of === field && pattern.test(said))?.[2];
  return words ?? said.replaceAll(field, field.replaceAll('_', ' '));
}

/**
 * An error as a form shows it: rewritten for a person, and next to the field that caused it, `causes[code]`.
 * Any other error is unchanged.
 */
export function useRefusal(error: Error | null, causes = NO_CAUSES): Error | null {
  // The same object for the same error, because a form compares them.
  return useMemo(() => {
    if (!(error instanceof ApiError)) return error;
    const message = refusalWords(error);
    const cause = causes[error.code];
    const faults = cause === undefined ? Object.entries(error.fields) : [[cause, [message]] as const];
    const fields = Object.fromEntries(faults.map(([field, said]) => [field, said.map((each) => inWords(field, each))]));
    return error.saying({ message, fields });
  }, [error, causes]);
}
