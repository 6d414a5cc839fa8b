import { rememberingVersions } from './remembering-versions';

it('parses a version once', () => {
  const parse = rememberingVersions();
  expect(parse('1.2.0')?.toString()).toBe('1.2.0');
  expect(parse('1.2.0')).toBe(parse('1.2.0'));
  expect(parse('1.3.0')).not.toBe(parse('1.2.0'));
});

it('remembers no text that is not a version', () => {
  const parse = rememberingVersions();
  const first = parse('1.0.0');
  for (let at = 0; at < 2_000; at += 1) expect(parse(`no version ${at}`)).toBeUndefined();
  expect(parse('1.0.0')).toBe(first);
});

it('forgets all before it remembers more than a thousand', () => {
  const parse = rememberingVersions();
  const first = parse('0.0.0');
  for (let at = 1; at < 1_000; at += 1) parse(`0.0.${at}`);
  expect(parse('0.0.0')).toBe(first);
  parse('0.0.1000');
  expect(parse('0.0.0')).not.toBe(first);
});
