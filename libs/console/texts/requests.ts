/** What the console reports when the server does not respond, or without a reason, or for a change of another revision. */

export const unreachable = 'The server can’t be reached. Check the connection and try again.';
export const changedElsewhere = 'It was changed elsewhere in the meantime. Your change was not applied.';
export const unexpectedStatus = (status: number): string => `The server responded with status ${status}.`;
