import { shared } from './shared';

/**
 * The owner key that this page has just made. It is held beside the session, which a new key ends: who waits
 * for it sees the sign-in next.
 */
const key = shared<string | undefined>(undefined);

/** `undefined`: it has been copied, and is held no more. */
export const holdNewOwnerKey = key.set;
export const useNewOwnerKey = (): string | undefined => key.use();
