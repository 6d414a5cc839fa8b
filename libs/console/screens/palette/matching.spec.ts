import { matching } from './matching';

const names = (wanted: string): string[] =>
  matching(
    [
      { kind: 'action', name: 'Recall 1.1.0 in production…', about: 'Shop', words: 'roll back', hidden: true },
      { kind: 'app', name: 'Workshop' },
      { kind: 'build', name: '1.1.0 in production', about: 'Shop' },
      { kind: 'app', name: 'Shop' },
    ],
    wanted,
  ).map(({ name }) => name);

it('finds entries that contain each word in any order, and other words for an action', () => {
  expect(names('shop back ROLL 1.1')).toEqual(['Recall 1.1.0 in production…']);
  expect(names('production app')).toEqual([]);
});

it('shows names that begin with the text first, then those that contain it', () => {
  expect(names('shop')).toEqual(['Shop', 'Workshop', 'Recall 1.1.0 in production…', '1.1.0 in production']);
});

it('shows without a text what is not hidden, in its order', () => {
  expect(names(' ')).toEqual(['Workshop', '1.1.0 in production', 'Shop']);
});
