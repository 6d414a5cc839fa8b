import { clientOf } from './connection';

it.each([
  ['mongodb://host/db', true],
  ['mongodb://host/db?retryWrites=false', false],
])('%s: retries writes: %s', (url, retried) => {
  expect(clientOf(url).options.retryWrites).toBe(retried);
});

it('waits for a majority and its journals, whatever the address says', () => {
  const { writeConcern } = clientOf('mongodb://host/db?w=0&journal=false').options;
  expect(writeConcern).toMatchObject({ w: 'majority', journal: true });
});

it('is refused an address that is none, without a word of it', () => {
  expect(() => clientOf('mongodb://user:secret@/')).toThrow(/^(?!.*secret).*mongodb:/s);
});
