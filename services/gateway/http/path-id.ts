import { DomainError } from '@sluice/kernel';

/**
 * The integer id in a path. Whatever is no such id names nothing: refused with the resource's own 404,
 * which doesn't repeat it, for it may be a credential gone astray.
 */
export function idOf(
  text: string,
  notFound: 'BUILD_NOT_FOUND' | 'KEY_NOT_FOUND' | 'OWNER_NOT_FOUND' | 'TOKEN_NOT_FOUND',
): number {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (id < 1) throw new DomainError(notFound, 'There is nothing with this id here.');
  return id;
}
