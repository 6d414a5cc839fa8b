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

/** JSON whose texts have U+FFFD in place of each half of a surrogate pair. A NUL stays, as an escape. */
export function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes('\\ud') ? text.replace(LONE_SURROGATE, '$1\uFFFD') : text;
}

/** As JSON.stringify spells it. Behind an odd number of backslashes it would be a backslash and letters. */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;
