import { readFile } from 'node:fs/promises';
import { Failure } from './failure';

/** A file as text; `what` it holds is named where it can't be read. @throws Failure */
export function readText(what: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(what, error);
  });
}

export function unreadable(what: string, error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  return new Failure({ code: code ?? 'UNREADABLE', message: `The ${what} can't be read: ${message}`, cause: error });
}
