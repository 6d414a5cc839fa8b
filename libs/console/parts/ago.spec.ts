import { ago } from './ago';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const at = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString();

it('never shows a time of something that happened as a future one', () => {
  expect(ago(at(-26), NOW, false)).toBe('26 seconds ago');
  expect(ago(at(26), NOW, false)).toBeUndefined();
  expect(ago(at(3_600), NOW, false)).toBeUndefined();
});

it('shows a time that may be in the future as one', () => {
  expect(ago(at(26), NOW, true)).toBe('in 26 seconds');
  expect(ago(at(7_200), NOW, true)).toBe('in 2 hours');
  expect(ago(at(-7_200), NOW, true)).toBe('2 hours ago');
});
