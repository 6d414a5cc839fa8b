import { DomainError, EngineUnavailableError, isUnavailable, UnavailableError } from './domain-error';
import { statusOfCode } from './error-code';

class VaultUnavailableError extends EngineUnavailableError {
  readonly engine = 'vault';
}

it.each([
  ['a service that does not answer', new UnavailableError('No answer.'), true],
  ['an engine that is unavailable', new VaultUnavailableError('ECONNREFUSED'), true],
  ['a refusal', new DomainError('APP_NOT_FOUND', 'There is no such app.'), false],
  ['an error with such a name', Object.assign(new Error('x'), { name: 'EventStoreUnavailableError' }), false],
  ['nothing', undefined, false],
])('recognises by its class %s', (_, error, unavailable) => {
  expect(isUnavailable(error)).toBe(unavailable);
});

it('gives each code its status, and an unknown code none', () => {
  expect([statusOfCode('APP_NOT_FOUND'), statusOfCode('SERVICE_UNAVAILABLE')]).toEqual([404, 503]);
  expect(statusOfCode('NOBODY_KNOWS')).toBeUndefined();
});
