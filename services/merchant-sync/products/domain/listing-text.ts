/** Control characters and what else no XML document can hold; tabs and line ends are left. */
const UNWRITABLE = /(?![\t\n\r])\p{Cc}|\p{Cs}|\p{Noncharacter_Code_Point}/gu;

/** On one line, without what XML forbids. */
export function oneLine(text: string): string {
  return text.replace(UNWRITABLE, '').replace(/\s+/gu, ' ').trim();
}

/** In paragraphs, without what XML forbids. */
export function paragraphs(text: string): string {
  return text
    .replace(UNWRITABLE, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+/gu, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** In characters, as code points. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** At most `max` characters, counted as code points; cut behind a word where one ends in the last third. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const characters = Array.from(text);
  if (characters.length <= max) return text;
  const kept = characters.slice(0, max);
  if (/\S/u.test(characters[max] ?? '')) {
    const space = kept.findLastIndex((character) => /\s/u.test(character));
    if (space > (max * 2) / 3) kept.length = space;
  }
  return kept.join('').trimEnd();
}
