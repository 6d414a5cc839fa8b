import { DomainError } from '@sluice/kernel';

/** What every command on a key of an app that is being removed is refused with. */
export function appNotFound(): DomainError {
  return new DomainError('APP_NOT_FOUND', 'There is no such app.');
}
