import { useMemo } from 'react';
import { ApiError } from '../../../api/client';
import { size } from '../../../parts/values';
import * as texts from '../../../texts/errors';
import * as planTexts from '../../../texts/plan';

/** Replaces messages of the API about a field, by the last part of its name, that are written for scripts. */
const FIELD_MESSAGES: readonly (readonly [field: string, pattern: RegExp, text: string])[] = [
  ['file', /required/, texts.chooseBundle],
  ['version', /required|major\.minor/, texts.threeNumbers],
  ['min_native_version', /must be a version/, texts.nativeVersion],
  ['native_range', /semver range/, texts.nativeRange],
  ['signature', /Base64/, texts.base64],
  ['bundle_id', /reverse-DNS/, texts.bundleIdForm],
  ['bundle_id', /belongs to another/, texts.bundleIdInUse],
  ['percentage', /whole number/, planTexts.wholePercentage],
  ['hold_minutes', /whole number/, planTexts.longestStep],
  ['min_devices', /whole number/, planTexts.wholeDevices],
  ['threshold_percent', /number from/, planTexts.threshold90],
  ['after_minutes', /whole number/, planTexts.wholeMinutes],
  ['time_zone', /name of a time zone/, planTexts.unknownZone],
  ['days', /at least one weekday/, planTexts.someDay],
  ['from', /time of day/, planTexts.timeOfDay],
  ['to', /time of day/, planTexts.timeOfDay],
  ['to', /never opens/, planTexts.endsBefore],
];

const NO_CAUSES: Readonly<Record<string, string>> = {};

/** The texts of errors without a field, by their codes. */
const MESSAGES: Readonly<Record<string, (disabledReason: ApiError) => string>> = {
  VERSION_NOT_NEWER: ({ details, message }) =>
    typeof details['active_head'] === 'string' ? texts.notNewer(details['active_head']) : message,
  PLAN_CHANGED: () => planTexts.planChanged,
  BUILD_NOT_READY: () => texts.buildNotReady,
  BUILD_NOT_FOUND: () => texts.buildNotFound,
  PAYLOAD_TOO_LARGE: ({ message }) => message.replace(/\d+ bytes/, (bytes) => size(Number.parseInt(bytes, 10))),
  STORAGE_LIMIT_REACHED: ({ details, message }) =>
    typeof details['used_bytes'] === 'number' && typeof details['limit_bytes'] === 'number'
      ? texts.storageFull(size(details['used_bytes']), size(details['limit_bytes']))
      : message,
};

/** An error as a sentence for a person. */
export function errorMessage(error: unknown): string {
  return error instanceof ApiError ? (MESSAGES[error.code]?.(error) ?? error.message) : (error as Error).message;
}

function fieldMessage(field: string, message: string): string {
  const last = field.slice(field.lastIndexOf('.') + 1);
  const text = FIELD_MESSAGES.find(([of, pattern]) => of === last && pattern.test(message))?.[2];
  return text ?? message.replaceAll(field, field.replaceAll('_', ' '));
}

/**
 * An error as a form shows it: rewritten for a person, and next to the field that caused it, `causes[code]`.
 * Any other error is unchanged.
 */
export function useErrorTexts(error: Error | null, causes = NO_CAUSES): Error | null {
  // The same object for the same error, because a form compares them.
  return useMemo(() => {
    if (!(error instanceof ApiError)) return error;
    const message = errorMessage(error);
    const cause = causes[error.code];
    const faults = cause === undefined ? Object.entries(error.fields) : [[cause, [message]] as const];
    const fields = Object.fromEntries(
      faults.map(([field, messages]) => [field, messages.map((each) => fieldMessage(field, each))]),
    );
    return error.withTexts({ message, fields });
  }, [error, causes]);
}
