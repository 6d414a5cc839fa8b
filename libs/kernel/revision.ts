import { DomainError } from './domain-error';
import type { ErrorCode } from './error-code';

/** Of a command that is only for one revision of what it changes. Left out: for any. */
export interface ExpectsRevision {
  readonly ifRevision?: number | undefined;
}

/**
 * @param subject such as `Build 7`
 * @throws DomainError with the code, and the revision that it has, when the command expects another one
 */
export function requireRevision(
  code: ErrorCode & `${string}_CHANGED`,
  subject: string,
  revision: number,
  { ifRevision }: ExpectsRevision,
): void {
  if (ifRevision === undefined || ifRevision === revision) return;
  throw new DomainError(
    code,
    `${subject} has changed: its revision is ${revision}, not ${ifRevision}. Read it again before you change it.`,
    { revision },
  );
}
