/**
 * Whether each engine and each client reads a text back as it was written: it holds no NUL, at which
 * some of them end a text, and no half of a surrogate pair, which has no spelling in UTF-8.
 */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The text with U+FFFD in place of each NUL and each half of a surrogate pair: as long as before. */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** A text that holds no NUL, as JSON Schema can say it. */
// eslint-disable-next-line no-control-regex -- `\0` is no escape in the expressions of Python
export const WITHOUT_NUL = /^[^\x00]*$/;

/** A text that is not blank. */
export const NOT_BLANK = /\S/;

/**
 * Whether a text has from `min` to `max` characters. A character is a code point, as JSON Schema counts them; `length`
 * counts most emoji twice.
 */
export function hasCharacters(text: string, min: number, max: number): boolean {
  const { length } = text;
  // Each code point is one or two of what `length` counts.
  if (length < min || length > 2 * max) return false;
  if (length >= 2 * min && length <= max) return true;
  const characters = Array.from(text).length;
  return characters >= min && characters <= max;
}

/** JSON whose texts have U+FFFD in place of each half of a surrogate pair. A NUL stays, as an escape. */
export function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes('\\ud') ? text.replace(LONE_SURROGATE, '$1\uFFFD') : text;
}

/** As JSON.stringify spells it. Behind an odd number of backslashes it would be a backslash and letters. */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;
