/** The texts of the sign-in, and of the dialog that asks for it again once a session has ended. */

export const title = 'Sign in to Sluice';
export const lead = 'Use your owner key.';
export const keyHelp = (
  <>
    Starts with <code>svc_own_</code>. On its first start, the server writes the key of the operator, the first owner,
    to <code>owner.key</code> in its data folder, unless <code>OWNER_KEY</code> is set. Other owners get their key from
    the operator.
  </>
);
export const ownerKey = 'Owner key';
export const signIn = 'Sign in';

export const ended = 'Your session ended';
export const signInAgain = (owner: string | undefined): string =>
  `Sign in again${owner === undefined ? '' : ` as ${owner}`} to continue. Your input is kept, and an unfinished request is sent after you sign in.`;
export const discard = 'Discard changes';
