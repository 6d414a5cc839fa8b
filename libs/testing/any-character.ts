import fc from 'fast-check';

/**
 * Every character that UTF-8 can encode, half of them ASCII.
 *
 * fast-check's own unit `binary` covers the same, but takes 800 ms to build its table in each test file.
 */
export const anyCharacter = fc
  .oneof(
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 0x7f }) },
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((codePoint) => String.fromCodePoint(codePoint));
