import { cut, oneLine, paragraphs } from './listing-text';

it.each([
  [' A  long\t\nline ', 'A long line'],
  ['A\u0000B', 'AB'],
])('writes %j on one line as %j', (text, line) => {
  expect(oneLine(text)).toBe(line);
});

it.each([
  ['One\rtwo\r\nthree', 'One\ntwo\nthree'],
  ['One \ntwo\n three', 'One\ntwo\nthree'],
  ['One\n\n\n\ntwo', 'One\n\ntwo'],
  [' One  two ', 'One two'],
])('writes %j in paragraphs as %j', (text, written) => {
  expect(paragraphs(text)).toBe(written);
});

it.each([
  ['keeps a text that fits', 'one two', 'one two'],
  ['keeps a word that ends at the limit', 'eleven one two', 'eleven one'],
  ['cuts behind a word that ends in the last third', 'sevenses two', 'sevenses'],
  ['cuts inside a word where the one before ends earlier', 'sixsix twotwo', 'sixsix two'],
  ['leaves no white space at the end', 'sevenses\n\ntwo', 'sevenses'],
])('%s', (_, text, expected) => {
  expect(cut(text, 10)).toBe(expected);
});

it('takes a word for too early that ends at two thirds of the limit', () => {
  expect(cut('sixsix twotwo', 9)).toBe('sixsix tw');
});
