import { shared } from './shared';

/** The owner who is signed in on this page. */
let owner: number | undefined;
/** Resolved when the person signs in again, rejected when they leave. */
const waiting = shared<PromiseWithResolvers<null> | undefined>(undefined);

/** The owner of this page's session. With undefined, a 401 is expected, and no request waits for a session. */
export function signedInAs(id: number | undefined): void {
  owner = id;
  if (id !== undefined) return;
  const left = waiting.get();
  waiting.set(undefined);
  left?.reject(undefined);
}

/** Whose session this page has, or had until it ended. */
export const signedInOwner = (): number | undefined => owner;

/** Asks the person to sign in again. Rejects with undefined when they leave instead. */
export async function signedInAgain(): Promise<void> {
  if (waiting.get() === undefined) waiting.set(Promise.withResolvers<null>());
  await waiting.get()?.promise;
}

/** After the person has signed in again: waiting requests are repeated. */
export function resumeRequests(): void {
  const ended = waiting.get();
  waiting.set(undefined);
  ended?.resolve(null);
}

/** Whether requests wait for the person to sign in again. */
export const useSessionEnded = (): boolean => waiting.use((left) => left !== undefined);
